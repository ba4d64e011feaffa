"""Files that a path which is not there may stand for: docs/reference/rules.md, "diagnosis"."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planned import planned
from support.responses import block
from support.trees import FILE, LINK, MODULE, tree_of

from editblocks.applying.plans import nearest
from editblocks.core.blocks import EditBlock
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import EditResult

SHOP = "README.md docs/usage.md src/api.py src/cart.py src/order_lines.py src/web/index.ts tests/test_cart.py".split()

# path, files, nearest
NEAR: dict[str, tuple[str, list[str], list[str]]] = {
    "another letter case": ("src/Cart.py", SHOP, ["src/cart.py"]),
    "another letter case of a directory": ("SRC/Cart.py", SHOP, ["src/cart.py"]),
    "several that differ by case": ("readme.md", ["Readme.md", "README.md"], ["README.md", "Readme.md"]),
    "another composition": ("docs/cafe\u0301.md", ["docs/café.md"], ["docs/café.md"]),
    "no directory": ("cart.py", SHOP, ["src/cart.py"]),
    "no inner directory": ("src/index.ts", SHOP, ["src/web/index.ts"]),
    "no outer directory, one with that name is there": ("src/a.py", ["shop/src/a.py", "src/z"], ["shop/src/a.py"]),
    "a directory is missing in several": ("x.py", ["b/x.py", "a/x.py", "c/y.py"], ["a/x.py", "b/x.py"]),
    "the project in front": ("shop/src/cart.py", SHOP, ["src/cart.py"]),
    "a/ of a patch": ("a/src/cart.py", SHOP, ["src/cart.py"]),
    "b/ of a patch": ("b/src/cart.py", SHOP, ["src/cart.py"]),
    "two directories too many, in another case": ("home/shop/Src/cart.py", SHOP, ["src/cart.py"]),
    "an inner directory too many": ("src/shop/cart.py", SHOP, ["src/cart.py"]),
    "another leading directory": ("lib/cart.py", SHOP, ["src/cart.py"]),
    "another leading directory that is there": ("docs/cart.py", SHOP, ["src/cart.py"]),
    "another inner directory": ("src/ui/index.ts", SHOP, ["src/web/index.ts"]),
    "the directory that is spelled alike first": (
        "tets/a.py",
        ["alpha/a.py", "beta/a.py", "tests/a.py", "tests/b.py"],
        ["tests/a.py", "beta/a.py", "alpha/a.py"],
    ),
    "another extension": ("src/web/index.js", SHOP, ["src/web/index.ts"]),
    "yml and yaml": ("ci.yml", ["ci.yaml", "cd.yaml"], ["ci.yaml"]),
    "no extension": ("readme", SHOP, ["README.md"]),
    "hyphen for underscore": ("src/order-lines.py", SHOP, ["src/order_lines.py"]),
    "another spelling": ("src/carts.py", SHOP, ["src/cart.py"]),
    "letters that changed places": ("src/crat.py", SHOP, ["src/cart.py"]),
    "another spelling in a directory of another case": ("Src/carts.py", SHOP, ["src/cart.py"]),
    "three at most, the likeliest first, ties by path": (
        "names.py",
        ["name.py", "namesx.py", "namesa.py", "nam.py", "other.py"],
        ["namesa.py", "namesx.py", "name.py"],
    ),
    "the same directory before another one": (
        "src/carts.py",
        [*SHOP, "lib/carts.py"],
        ["src/cart.py", "lib/carts.py"],
    ),
    "the whole path decides": (
        "a-name.js",
        ["a_name.js", "a-name.ts", "a-names.js", "lib/a-name.js"],
        ["a-names.js", "a-name.ts", "a_name.js"],
    ),
    "a file in the way of a directory": ("shop/cart.py", ["shop", "Shop/cart.py"], ["Shop/cart.py"]),
    "deep in another folder": ("src/cart.py", ["lib/a/b/c/cart.py", "lib/a/d.py", "src/x.py"], ["lib/a/b/c/cart.py"]),
    "deep, in another letter case": ("cart.py", ["lib/a/b/c/Cart.py"], ["lib/a/b/c/Cart.py"]),
    "two of that name in other folders": (
        "src/cart.py",
        ["lib/a/b/cart.py", "lib/a/c/cart.py"],
        ["lib/a/c/cart.py", "lib/a/b/cart.py"],
    ),
    "only in a hidden folder": ("cart.py", [".x/y/cart.py"], []),
    "only in a folder of packages": ("cart.py", ["node_modules/y/cart.py"], []),
    "two folders too many, and another of that name": (
        "x/y/src/cart.py",
        ["src/cart.py", "lib/a/b/cart.py"],
        ["src/cart.py", "lib/a/b/cart.py"],
    ),
    "an inner folder too many, and another of that name": (
        "src/shop/cart.py",
        ["src/cart.py", "lib/a/b/cart.py"],
        ["src/cart.py", "lib/a/b/cart.py"],
    ),
    "another leading folder that is there, and another of that name": (
        "docs/cart.py",
        ["docs/x", "src/cart.py", "lib/a/b/cart.py"],
        ["src/cart.py", "lib/a/b/cart.py"],
    ),
    "no inner folder, and another of that name": (
        "src/index.ts",
        ["src/web/index.ts", "a/b/c/index.ts"],
        ["src/web/index.ts", "a/b/c/index.ts"],
    ),
    "another inner folder, and another of that name": (
        "src/ui/index.ts",
        ["src/web/index.ts", "a/b/c/index.ts"],
        ["src/web/index.ts", "a/b/c/index.ts"],
    ),
    "three of five letters": ("abcde.py", ["abcxy.py"], ["abcxy.py"]),
    "a name with two dots": ("aa.bbbbbb.py", ["aa.cccccc.py"], []),
    "an extension in common is not enough": ("src/b.py", ["src/a.py", "src/c.py"], []),
    "a hidden file has no extension": (".gitignore", [".gitattributes", ".gitignored"], [".gitignored"]),
    "the way ends at a file": ("src/cart.py/x.py", SHOP, []),
    "nothing like it": ("src/zebra.go", SHOP, []),
    "an empty tree": ("src/cart.py", [], []),
}


@pytest.mark.parametrize(("path", "files", "near"), NEAR.values(), ids=NEAR)
def test_the_nearest_files(path: str, files: list[str], near: list[str]) -> None:
    assert nearest(path, tree_of(dict.fromkeys(files, FILE))) == near


NO_FILES = [
    ("src/cart", {"src/cart/x": FILE}),
    ("link", {"Link": LINK, "links": LINK, "src/link": LINK}),
    ("vendor", {"Vendor": MODULE, "vendors": MODULE}),
    ("sub/a.py", {"Sub": MODULE}),
]


@pytest.mark.parametrize(("path", "tree"), NO_FILES, ids=[row[0] for row in NO_FILES])
def test_only_regular_files_are_near(path: str, tree: dict[str, str]) -> None:
    assert nearest(path, tree_of(tree)) == []


def test_few_directories_are_listed() -> None:
    listed: list[str] = []
    entries = tree_of({f"d{number:03}/g.py": FILE for number in range(200)})

    def names(directory: str) -> Mapping[str, str]:
        listed.append(directory)
        return entries(directory)

    planned(block("a\n", "b\n", path="f.py") + block("a\n", "b\n", path="e.py"), lambda _: None, entries=names)
    assert len(set(listed)) == 20


def test_a_hundred_folders_are_looked_through_for_a_name() -> None:
    few, many = ({f"d{number:03}/e/f.py": FILE for number in range(count)} for count in (40, 100))
    assert nearest("q/r/g.py", tree_of({**few, "z/e/g.py": FILE})) == ["z/e/g.py"]
    assert nearest("q/r/g.py", tree_of({**many, "z/e/g.py": FILE})) == []


def test_each_directory_is_listed_once() -> None:
    listed: list[str] = []
    entries = tree_of({f"d{number}/" + "a/" * 30 + "x.py": FILE for number in range(30)})

    def names(directory: str) -> Mapping[str, str]:
        listed.append(directory)
        return entries(directory)

    assert len(nearest("a/" * 30 + "x.py", names)) == 3
    assert len(set(listed)) == len(listed)


def test_the_folders_that_the_path_names_are_listed_first() -> None:
    tree = {f"d{number:03}/g.py": FILE for number in range(200)} | {"tests/f.py": FILE}
    assert nearest("shop/Tests/f.py", tree_of(tree)) == ["tests/f.py"]


def test_the_likeliest_directories_are_listed() -> None:
    tree = {f"d{number:03}/g.py": FILE for number in range(200)} | {"tests/f.py": FILE}
    assert nearest("test/f.py", tree_of(tree)) == ["tests/f.py"]


def test_the_likeliest_directories_are_listed_first() -> None:
    entries = tree_of({f"d{number:03}/g.py": FILE for number in range(50)} | {"tests/f.py": FILE})
    listed: list[str] = []

    def names(directory: str) -> Mapping[str, str]:
        listed.append(directory)
        return entries(directory) if len(listed) < 4 else {}

    assert nearest("test/f.py", names) == ["tests/f.py"]


def test_a_large_directory_is_compared_around_the_name() -> None:
    tree = {f"name{number:05}.py": FILE for number in range(9000)}
    assert nearest("name07000x.py", tree_of(tree))[0] == "name07000.py"
    assert nearest("zebra08999.py", tree_of({**tree, "zebra.py": FILE, "a.py": FILE}))[0] == "zebra.py"


# how many names are between a likely one and the missing one, how many are below, and whether it is compared
AROUND = [(240, 400, True), (249, 400, True), (250, 400, False), (400, 0, True), (499, 0, True), (500, 0, False)]


@pytest.mark.parametrize(("between", "below", "is_compared"), AROUND)
def test_five_hundred_names_are_compared(between: int, below: int, is_compared: bool) -> None:
    names = [
        "a-cart.py",
        *(f"b{number:03}.md" for number in range(between)),
        *(f"z{number:03}.md" for number in range(below)),
    ]
    near = nearest("x-cart.py", tree_of(dict.fromkeys(names, FILE)))
    assert (near == ["a-cart.py"]) is is_compared


NAMES = st.sampled_from("a A a-b a_b a.py a.js b.py src Src é e\u0301".split())
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(PATHS, st.lists(PATHS, max_size=6))
def test_what_is_near_is_there(path: str, files: list[str]) -> None:
    kept = [name for name in files if not any(other.startswith(f"{name}/") for other in files) and name != path]
    near = nearest(path, tree_of(dict.fromkeys(kept, FILE)))
    assert set(near) <= set(kept)
    assert len(near) == len(set(near)) <= 3
    assert near == nearest(path, tree_of(dict.fromkeys(sorted(kept, reverse=True), FILE)))


@pytest.mark.parametrize(
    ("near", "said"),
    [
        ([], "there is no src/carts.py; check the path"),
        (["src/cart.py"], "there is no src/carts.py; the nearest name is src/cart.py"),
        (["a", "b"], "there is no src/carts.py; similar: a and b"),
        (["a", "b", "c"], "there is no src/carts.py; similar: a, b and c"),
        (["a\u202eb\n"], "there is no src/carts.py; the nearest name is aU+202Eb␊"),
    ],
)
def test_the_sentence(near: list[str], said: str) -> None:
    mismatch = Mismatch(ReasonCode.FILE_NOT_FOUND, near=tuple(near))
    block = EditBlock(1, "src/carts.py", "diff", 1, 5, old_lines="x\n")
    assert EditResult(block, EditStatus.FAILED, mismatch).reason == said


def test_the_sentence_about_another_unicode_form() -> None:
    mismatch = Mismatch(ReasonCode.FILE_NOT_FOUND, near=("cafe\u0301.py", "cafe.py"))
    block = EditBlock(1, "caf\u00e9.py", "diff", 1, 5, old_lines="x\n")
    said = "there is no caf\u00e9.py; a file has this name in another Unicode form (NFD, not NFC)"
    assert EditResult(block, EditStatus.FAILED, mismatch).reason == said
