"""Generate the source of the documentation site; `PYTHONPATH=tests python -m support.site` writes it into build/site.

The links between the pages of the repository are written for GitHub. Here, all pages get a place in one folder, and
their links are changed to these places. A link to a file without a page leads to the repository on GitHub.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any, NamedTuple

import yaml
from support import pagekit
from support.project import CASES, DOCS, EXAMPLES, ROOT

FOLDER = ROOT / "build" / "site"
SETTINGS = ROOT / "mkdocs.yml"
SINGLE_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LANGUAGES = {".py": "python", ".json": "json", ".yml": "yaml", ".md": "markdown"}
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
FRAME = """
## Try the report page

It is the page itself, not a picture ([open it alone](report.html)):

<iframe src="report.html" title="The report page of six blocks" loading="lazy"
  style="width: 100%; height: 45rem; border: 1px solid"></iframe>
"""

# A fence, a code span, or the target of a link. Only a link sets the group `target`.
_PARTS = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^ *(?P=fence) *$"
    r"|(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|\]\((?P<target>[^()\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


class Page(NamedTuple):
    """A page of the site: its source file in the repository, its path in the site, and its text."""

    source: str
    place: str
    text: str


def pages() -> list[Page]:
    """All pages, with their links rewritten."""
    found = list(_sources())
    places = {page.source: page.place for page in found}
    return [page._replace(text=rewrite_links(page, places)) for page in found]


def _sources() -> Iterator[Page]:
    for name, place in SINGLE_PAGES.items():
        text = (ROOT / name).read_text("utf-8")
        if name == "CHANGELOG.md":
            text += _next_release()
        yield Page(name, place, text)
    linked_cases = set()
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text("utf-8")
        linked_cases |= set(re.findall(r"\(\.\./[./]*tests/cases/([a-z0-9/-]+\.md)\)", text))
        place = path.relative_to(DOCS).as_posix()
        if place == "looks.md":
            text += FRAME
        yield Page(f"docs/{place}", place, text)
    for name in sorted(linked_cases):
        yield Page(f"tests/cases/{name}", f"cases/{name}", (CASES / name).read_text("utf-8"))
    for path in sorted(EXAMPLES.iterdir()):
        yield Page(f"examples/{path.name}", f"examples/{path.name.replace('.', '-')}.md", _example(path))


def _next_release() -> str:
    """The entries of changelog.d, by kind."""
    parts = []
    for kind, heading in KINDS.items():
        files = sorted((ROOT / "changelog.d").glob(f"*.{kind}*.md"), key=lambda path: int(path.name.split(".")[0]))
        entries = [f"- {line}" for path in files for line in path.read_text("utf-8").splitlines()]
        if entries:
            parts.append("\n".join([f"\n### {heading}\n", *entries, ""]))
    return "".join(parts)


def _example(path: Path) -> str:
    """A page that shows a file, or the files of a folder."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    parts = [f"# {path.name}"]
    for file in files:
        if path.is_dir():
            parts.append(f"## {file.name}")
        parts.append(_fenced(file.read_text("utf-8"), LANGUAGES[file.suffix]))
    return "\n\n".join(parts) + "\n"


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{fence}"


def targets(text: str) -> list[str]:
    """The targets of the links in a page."""
    return [found["target"] for found in _PARTS.finditer(text) if found["target"]]


def rewrite_links(page: Page, places: dict[str, str]) -> str:
    """The text of a page, with its links changed to the paths in the site."""
    folder = PurePosixPath(page.source).parent.as_posix()
    here = PurePosixPath(page.place).parent.as_posix()

    def moved(found: re.Match[str]) -> str:
        target = found["target"]
        if target is None or "://" in target or target.startswith("#") or target == "report.html":
            return found[0]
        name, hash_sign, anchor = target.partition("#")
        source = normpath(f"{folder}/{name}")
        if source in places:
            return f"]({relpath(places[source], here)}{hash_sign}{anchor})"
        if source.startswith("docs/img/"):
            return f"]({relpath(source.removeprefix('docs/'), here)})"
        return f"]({repository()}/blob/HEAD/{source})"

    return _PARTS.sub(moved, page.text)


def without_escaped_bars(text: str) -> str:
    """Replace `\\|` in the code spans of tables by `|`. GitHub needs the backslash, but the site would show it."""

    def code(found: re.Match[str]) -> str:
        line_start = text.rfind("\n", 0, found.start()) + 1
        if found["ticks"] and text[line_start] == "|":
            return found[0].replace("\\|", "|")
        return found[0]

    return _PARTS.sub(code, text)


def settings() -> dict[str, Any]:
    """The content of mkdocs.yml."""
    found: dict[str, Any] = yaml.safe_load(SETTINGS.read_text("utf-8"))
    return found


def repository() -> str:
    """The URL of the repository."""
    return str(settings()["extra"]["social"][0]["link"])


def navigation(places: list[str]) -> list[Any]:
    """`nav` of mkdocs.yml, with `folder/*` replaced by the pages of that folder that `nav` does not name."""
    nav = settings()["nav"]
    named = set(leaves(nav))
    return _expanded(nav, [place for place in places if place not in named])


def leaves(entry: Any) -> Iterator[str]:
    """Yield every page in a part of `nav`."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for value in entry.values():
            yield from leaves(value)
    else:
        for each in entry:
            yield from leaves(each)


def _expanded(entries: list[Any], places: list[str]) -> list[Any]:
    done: list[Any] = []
    for entry in entries:
        if isinstance(entry, dict):
            [(title, value)] = entry.items()
            done.append({title: _expanded(value, places) if isinstance(value, list) else value})
        elif entry.endswith("/*"):
            done += _folder(entry.removesuffix("*"), places)
        else:
            done.append(entry)
    return done


def _folder(folder: str, places: list[str]) -> list[Any]:
    """The pages of a folder, then each of its subfolders as a section."""
    below = [place.removeprefix(folder) for place in places if place.startswith(folder)]
    entries: list[Any] = [folder + name for name in below if "/" not in name]
    for name in sorted({name.split("/")[0] for name in below if "/" in name}):
        entries.append({name.replace("-", " ").capitalize(): _folder(f"{folder}{name}/", places)})
    return entries


def write(folder: Path) -> None:
    """Write the source of the site and its settings into a folder."""
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    found = pages()
    for page in found:
        path = source / page.place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(without_escaped_bars(page.text), "utf-8")
    shutil.copytree(DOCS / "img", source / "img")
    (source / "report.html").write_text(pagekit.shop_page(), "utf-8")
    with_nav = {**settings(), "nav": navigation([page.place for page in found])}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(with_nav, sort_keys=False), "utf-8")


if __name__ == "__main__":
    write(FOLDER)
