"""Render the text of a comment like GitHub: with GitHub's own Markdown renderer, then a sanitiser and filters.

The order is in https://github.com/github/markup#github-markup; which raw HTML is kept is in
https://docs.github.com/en/get-started/writing-on-github. Classes and attributes that no test needs are left out.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element, SubElement

import cmarkgfm
import html5lib
from cmarkgfm.cmark import Options
from support.hub.model import Remark, ReviewComment

EXTENSIONS = ("table", "strikethrough", "autolink", "tasklist", "tagfilter")
KEPT = frozenset(
    "h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p picture ol ul table thead tbody tfoot "
    "blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure figcaption "
    "abbr bdo cite dfn mark small source span time wbr section input".split()
)
ATTRIBUTES = frozenset("href src alt title align lang type checked disabled open start".split())
WITH_CONTENT = frozenset({"script", "style", "iframe", "noembed", "noframes", "xmp", "plaintext"})
# Languages whose fences GitHub highlights. The HTML then has a class for the language instead of `lang`.
COLOURED = {
    name: f"highlight-source-{scope}"
    for scope, names in {
        "python": "python py", "js": "javascript js jsx", "ts": "typescript ts", "tsx": "tsx", "diff": "diff patch",
        "json": "json", "yaml": "yaml yml", "shell": "bash sh shell", "ruby": "ruby rb", "go": "go", "rust": "rust rs",
        "java": "java", "c": "c", "cpp": "cpp", "css": "css", "sql": "sql", "toml": "toml", "html": "html vue xml",
    }.items()
    for name in names.split()
}  # fmt: skip
DRAWN = frozenset({"mermaid", "geojson", "topojson", "stl"})
DEEPEST = 200  # levels of nested elements; it is not known what GitHub does with more [U]
EMOJI = {"smile": "\U0001f604", "tada": "\U0001f389", "rocket": "\U0001f680", "information_source": "\u2139\ufe0f"}
_DISPLAY = re.compile(r"\$\$[^$]+\$\$")
_LINKED = re.compile(
    r"(?P<math>\$(?=\S)[^$\n]*[^\s$]\$)"
    r"|(?P<issue>https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/(?P<number>\d+))"
    r"|(?<![\w@])(?P<user>@[a-zA-Z][\w-]*)"
    r"|(?<!\w)(?P<ref>#\d+)\b"
    r"|:(?P<emoji>[a-z_]+):"
    r"|\b(?P<commit>[0-9a-f]{40})\b"
)


@lru_cache(maxsize=1024)
def body_html(text: str, *, has_footnotes: bool = False, is_in_thread: bool = False) -> str:
    """The `bodyHTML` of a comment. `is_in_thread`: an inline comment, where a `suggestion` fence shows a change."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG | Options.CMARK_OPT_HARDBREAKS
    if has_footnotes:
        options |= Options.CMARK_OPT_FOOTNOTES
    clean = text.encode("utf-8", "replace").decode()
    html = cmarkgfm.markdown_to_html_with_extensions(clean, options, list(EXTENSIONS))
    tree = html5lib.parseFragment(html, namespaceHTMLElements=False)
    page = Element("root")
    _sanitise(tree, page)
    _filter(page, is_in_thread=is_in_thread)
    walker = html5lib.getTreeWalker("etree")
    serializer = html5lib.serializer.HTMLSerializer(
        omit_optional_tags=False, quote_attr_values="always", resolve_entities=False, alphabetical_attributes=True
    )
    whole = serializer.render(walker(page))
    return whole.removeprefix("<root>").removesuffix("</root>")


def html_of(remark: Remark) -> str:
    """The HTML of a comment, review or inline comment."""
    return body_html(remark.body, is_in_thread=isinstance(remark, ReviewComment))


def _sanitise(old: Element, new: Element, depth: int = 0) -> None:
    """Copy the content of `old` to `new`, without comments and unknown attributes. Unwrap unknown elements."""
    if depth == DEEPEST:
        _add_text(new, "".join(old.itertext()))
        return
    _add_text(new, old.text)
    for child in old:
        if isinstance(child.tag, str) and child.tag not in WITH_CONTENT:
            if child.tag in KEPT:
                kept = {name: value for name, value in child.attrib.items() if name in ATTRIBUTES}
                _sanitise(child, SubElement(new, child.tag, kept), depth + 1)
            else:
                _sanitise(child, new, depth + 1)
        _add_text(new, child.tail)


def _add_text(element: Element, text: str | None) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + (text or "")
    else:
        element.text = (element.text or "") + (text or "")


def _filter(element: Element, *, is_in_thread: bool) -> None:
    """Below `element`, replace formulas and drawings, highlight code, and link mentions, issues and commits."""
    children = list(element)
    if element.tag == "p" and _DISPLAY.search("".join(element.itertext())):
        formula = SubElement(element, "math-renderer", {"class": "js-display-math"})
        formula.text = "".join(element.itertext())
        element.text, element[:] = None, [formula]
        return
    texts = [element.text, *(child.tail for child in children)]
    element.text, element[:] = None, []
    for text, child in zip(texts, [*children, None], strict=True):
        for piece in _linked(text or "") if element.tag not in {"a", "code", "pre"} else [text or ""]:
            if isinstance(piece, Element):
                element.append(piece)
            else:
                _add_text(element, piece)
        if child is not None:
            child.tail = None
            element.append(_fence(child, is_in_thread=is_in_thread) if child.tag == "pre" else child)
            if child.tag == "a" and child.text and (issue := _LINKED.fullmatch(child.text)) and issue["issue"]:
                child.text = f"#{issue['number']}"
            if child.tag not in {"a", "code", "pre"}:
                _filter(child, is_in_thread=is_in_thread)


def _fence(pre: Element, *, is_in_thread: bool) -> Element:
    language, text = pre.get("lang", "").lower(), "".join(pre.itertext())
    if language == "math":
        return _with_text(Element("math-renderer", {"class": "js-display-math"}), f"$${text}$$")
    if language in DRAWN:
        section = Element("section", {"class": "js-render-needs-enrichment render-needs-enrichment"})
        section.set("data-type", language)
        around = SubElement(section, "div", {"class": "render-plaintext-hidden"})
        SubElement(around, "pre", {"lang": language}).text = text
        return section
    if language == "suggestion" and is_in_thread:
        return _suggestion(text)
    if language in COLOURED:
        around = Element("div", {"class": f"highlight {COLOURED[language]} notranslate"})
        del pre.attrib["lang"]
        around.append(pre)
        return around
    return pre


def _suggestion(text: str) -> Element:
    """The table of a suggested change. The lines of the file are unknown here, so one made-up line replaces them."""
    around = Element("div", {"class": "my-2 border rounded-2 js-suggested-changes-blob diff-view"})
    SubElement(around, "div", {"class": "f6 p-2 lh-condensed"}).text = "Suggested change"
    body = SubElement(SubElement(around, "table"), "tbody")
    for name, line in (("deletion", "the old line"), *(("addition", line) for line in text.splitlines())):
        row = SubElement(body, "tr", {"class": "border-0"})
        SubElement(row, "td", {"class": f"blob-num blob-num-{name}"})
        SubElement(row, "td", {"class": f"blob-code-inner blob-code-{name}"}).text = f"{line}\n"
    return around


def _linked(text: str) -> Iterator[str | Element]:
    start = 0
    for match in _LINKED.finditer(text):
        yield text[start : match.start()]
        start = match.end()
        kind = match.lastgroup or ""
        if match["math"]:
            yield _with_text(Element("math-renderer", {"class": "js-inline-math"}), match[0])
        elif match["issue"]:
            yield _with_text(Element("a", {"class": "issue-link", "href": match[0]}), f"#{match['number']}")
        elif match["emoji"]:
            found = EMOJI.get(match["emoji"])
            yield match[0] if found is None else _with_text(Element("g-emoji", {"alias": match["emoji"]}), found)
        elif match["commit"]:
            yield _with_text(Element("a", {"class": "commit-link"}), match[0][:7])
        else:
            yield _with_text(Element("a", {"class": f"{kind}-link"}), match[0])
    yield text[start:]


def _with_text(element: Element, text: str) -> Element:
    element.text = text
    return element
