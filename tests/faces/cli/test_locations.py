"""Where paths begin: what `--root` may name."""

from pathlib import Path

import pytest

from editblocks.core.errors import UsageError
from editblocks.faces.reading import root_of

ROOTS: tuple[tuple[str, str, str, str], ...] = (  # with where it is typed, and the advice; without: it is fine
    ("a folder of a repository, typed in it", "shop/src", ".", "leave --root out"),
    ("typed outside", ".", "shop/src", "use --root {}/shop"),
    ("by a link", ".", "link", "use --root {}/shop"),
    ("one that git ignores", "shop", "ignored", "leave --root out"),
    ("the top", "shop/src", "..", ""),
    ("a link to the top", ".", "top", ""),
    ("a linked working tree in it", "shop", "linked", ""),
    ("a submodule", "shop", "lib", ""),
    ("a bare repository in it, of which another message speaks", "shop", "bare", ""),
    ("no repository", "shop", "../plain", ""),
)


@pytest.mark.parametrize(("place", "root", "advice"), [row[1:] for row in ROOTS], ids=[row[0] for row in ROOTS])
def test_paths_begin_at_the_top_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, root: str, advice: str
) -> None:
    """Below it records, policy and protected paths would be others."""
    for name in ("shop/.git", "shop/src", "shop/ignored", "shop/linked", "shop/lib/.git", "plain"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    for name in ("HEAD", "objects", "refs"):
        (tmp_path / "shop/bare" / name).mkdir(parents=True)
    (tmp_path / "shop/linked/.git").write_text("gitdir: elsewhere\n")
    (tmp_path / "shop/.gitignore").write_text("ignored\n")
    (tmp_path / "link").symlink_to("shop/src")
    (tmp_path / "top").symlink_to("shop")
    monkeypatch.chdir(tmp_path / place)
    if not advice:
        assert root_of(root) == Path(root)
        return
    with pytest.raises(UsageError) as raised:
        root_of(root)
    said = f"--root {root} is inside the repository {tmp_path}/shop, and paths start at its top; {advice}"
    assert raised.value.message == said.format(tmp_path)
