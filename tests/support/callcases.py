"""Response files for tests that call the command line, and the files and messages that they expect."""

import sys
from pathlib import Path

from support.applykit import CHANGE, CREATE, MISS, NEW_CART, SHOP, TAX, block
from support.gitkit import read_folder

PROGRAM = (sys.executable, "-I", "-m", "editblocks")
SWITCHES = ("EDITBLOCKS_DISABLED", "PRE_COMMIT", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


FITS = f"Sure! I changed the total,\nand put the rate apart:\n\n{CHANGE}\nThen:\n\n{CREATE}\nThat is **all**.\n"
RESPONSES = {
    "fits.md": FITS,
    "partly.md": f"Two more:\n\n{CHANGE}\n{MISS}",
    "misses.md": MISS,
    "done.md": block("src/cart.py", "    return 2\n", "    return 2\n"),
    "prose.md": "There is nothing\nto change.\n",
    "empty.md": "",
    "near.md": CHANGE.replace("<<<<<<< SEARCH", "<<<<<<< search").partition("\n=====")[0] + "\n" * 3,
    "rest.md": CHANGE.replace("return 10", "...\n    return 10"),
    "cut.md": CHANGE.partition(">>>")[0],
}


def changed(folder: Path) -> dict[str, bytes | None]:
    """The files that differ from SHOP: path → bytes, None if deleted. Leaves out RESPONSES."""
    now = {name: data for name, (_, data) in read_folder(folder).items() if name not in RESPONSES}
    return {name: now.get(name) for name in {**SHOP, **now} if now.get(name) != SHOP.get(name)}


FITTING = "src/cart.py:2: {0}: exact ({1}:6)\nsrc/tax.py: {0}: new file ({1}:17)\n{1}: 2 {0}\n"
PATCH = """\
diff --git a/src/cart.py b/src/cart.py
index d2bbba0f37c7562aa36147a0cbf5880be05297a6..572fe73ada03994e46e50e101ec73707329c4dfc
--- a/src/cart.py
+++ b/src/cart.py
@@ -1,5 +1,5 @@
 def total():
-    return 1
+    return 10
{0}
{0}
 def tax():
""".format(" ")
NEW_PATCH = """\
diff --git a/src/tax.py b/src/tax.py
new file mode 100644
index 0000000000000000000000000000000000000000..091dc0f806ecd8bca71a4f3fd9d68490a141fdda
--- /dev/null
+++ b/src/tax.py
@@ -0,0 +1 @@
+RATE = 7
"""
WRITTEN = {"src/cart.py": NEW_CART, "src/tax.py": TAX}
ONE_OF_TWO = "nothing written: 1 of 2 blocks failed (block 2 no-match); --partial applies the one that fits\n"
NONE_OF_ONE = "nothing written: 1 of 1 block failed (block 1 {})\n"
NOTHING_TO_DO = "nothing to do: the changes of 1 block are already there\n"
