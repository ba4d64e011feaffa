"""Decide whether a line names a file, and which one (docs/reference/rules.md, which file).

Pure and strict: either the whole line is a path, or it is none. Prose is not searched for paths, and nothing is
decoded. Whether the path is safe is checked later, elsewhere.
"""

import re
from functools import lru_cache
from typing import NamedTuple

LONGEST_PATH_LINE = 1024
PATH_IN_COMMENT = "path-in-comment"  # the code of a note
_NO_BEGINNINGS = (">", "◁")  # of quotes, and of a tag of thoughts
_NO_ENDS = (".", "!", "?", ",", ";")  # of sentences: a line that ends so is never a path, and the sign is not removed
KNOWN_NAMES = frozenset(
    "Makefile GNUmakefile Dockerfile Containerfile Vagrantfile Procfile Gemfile Rakefile Guardfile Podfile Brewfile "
    "Justfile Jenkinsfile LICENSE LICENCE COPYING NOTICE README CHANGELOG CHANGES NEWS TODO AUTHORS CONTRIBUTORS "
    "MAINTAINERS CODEOWNERS INSTALL VERSION WORKSPACE BUILD".split()
)

# Most paths are like this, and need no cleaning. The other patterns are strings, compiled when they are first needed.
_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_./-]*[A-Za-z0-9_-])?\.[A-Za-z][A-Za-z0-9]*\Z")
_HEADING_OR_ITEM = r"(?:#{1,6}|[-*]|\d{1,9}[.)])[ \t]+"
_ITEM = r"(?:[-*]|\d{1,9}[.)])[ \t]+"
_WORDS = r"(?:file[ \t]?path|file[ \t]?name|file|path)"
_LABEL = rf"(?i)(?:(\*{{1,2}}){_WORDS}(?:[ \t]*:[ \t]*\1|\1[ \t]*:)|{_WORDS}[ \t]*:)[ \t]*"
_LEAD_IN = r"[Ii]n[ \t]+`([^`]+)`[ \t]*:\Z"
_CHANGED = r"(?i)(?:#{1,6}[ \t]+|\*\*)?(?:updated|modified|changed)(?:[ \t]+file)?:[ \t]*([^ \t*]+)(?:\*\*)?\Z"
_QUOTES = r"""`([^`]+)`\Z|"([^"]+)"\Z|'([^']+)'\Z|\u201c([^\u201c\u201d]+)\u201d\Z|\u2018([^\u2018\u2019]+)\u2019\Z"""
_WRAPPINGS = (  # patterns that reduce a line to their last group, and whether they mark that group as a path
    (r"(?:#{1,6}|[-*]|\d{1,9}[.)]|//|--|;)[ \t]+(.*)", False),
    (r"/\*[ \t](.*)\*/\Z|<!--[ \t](.*)-->\Z", False),
    (rf"{_LABEL}([^ \t]*)\Z", True),
    (rf"{_LABEL}(.*)", False),  # may be a sentence
    (_LEAD_IN, True),
    (r"\[([^\[\]]+)\]\([^()]*\)\Z", True),
    (r"(.*[^ \t])[ \t]+\(\s*[\w-]+(?:\s+[\w-]+){0,3}\s*\)\Z", False),  # a remark such as `(new file)`
    (r"(.+):\Z", False),
    (r"(\*{1,3})([^*]+)\1\Z", False),  # bold is how prose writes headings: `**Summary**` names no new file
    (_QUOTES, True),
)
_TOOL_TAG = r"<(path|file_path)>([^<>]*)</\1>\Z"
_NAMING_TAG = (
    r"<(?:edit|file|apply_diff|replace_in_file|dyad-search-replace)"
    r"((?:[ \t]+[A-Za-z_-]+=(?:\"[^\"<>]*\"|'[^'<>]*'|[^ \t\"'<>/=][^ \t\"'<>=]*)){1,8})[ \t]*>\Z"
)
_NAMING_ATTRIBUTE = r"[ \t](?:path|file|filePath|file_path)=(?:\"([^\"]*)\"|'([^']*)'|([^ \t]+))"
_LINES = r":\d{1,9}(?:-\d{1,9})?\Z"
_NOT_IN_PATHS = r'[<>|?*"`\x00-\x1f\x7f]'
_ESCAPED = r"\\[^A-Za-z0-9.\\ ]"  # `my\_file.py` is how Markdown writes `my_file.py`
_SLASHED_WORDS = r"\w[\w-]*(?:/\w[\w-]*)+\Z"  # `before/after` is not a new file
_EXTENSIONS = frozenset(
    "bash bat c cc cfg cjs clj cmake conf cpp cs css csv cxx dart ejs erl ex exs fish fs go gradle graphql h hbs hpp "
    "hs htm html ini ipynb java jl js json jsx kt kts less lock lua m md mdx mjs mm nix php pl po properties proto "
    "ps1 py pyi r rake rb rs rst sass sbt scala scss sh sql svelte svg swift tex tf toml ts tsx txt vb vue xml yaml "
    "yml zig zsh".split()
)
_PRODUCTS = frozenset("node.js next.js vue.js nuxt.js react.js express.js three.js d3.js ember.js backbone.js".split())
# `Vue.js`, `ASP.NET`: one dot between a capitalized word and a short ending. In a heading, it is rarely a file.
_PRODUCT = r"[A-Z][A-Za-z0-9]*\.(?:js|JS|net|NET|Net|io|IO|ai|AI|com|org|dev)\Z"
_ABBREVIATIONS = frozenset({"e.g", "i.e", "a.k.a", "w.r.t"})
_EXTENSION = r".*[^/]\.[A-Za-z0-9_+-]{1,16}\Z"
_WORDY_EXTENSION = r".*[^/]\.[0-9_+-]*[A-Za-z][A-Za-z0-9_+-]*\Z"  # `v1.2` is a version
_DOTFILE = r"(?:.*/)?\.[A-Za-z0-9_][^/]*\Z"
# Parts of info strings: `1:5:`, `title="a.py"`, `highlight=3/4.5`, `py:src/a.py`.
_POSITION = r"\d+:\d+:"
_KEY = r"(?:^|[ \t])(?:title|file|filename|path)=(?:\"([^\"]+)\"|'([^']+)'|(\S+))"
_OTHER_KEY = r"[A-Za-z-]+="
_LANG = r"[A-Za-z0-9_+#-]+[: \t][ \t]*(\S+)\Z"
_INFO_EXTENSION = r".*[^/]\.[0-9]*[A-Za-z_][A-Za-z0-9_+-]{0,15}\Z"
_LETTER_OR_DIGIT = r"[^\W_]"


class PathLine(NamedTuple):
    """A line that names a file. `weak`: it is only used if exactly this file exists."""

    path: str
    weak: bool = False
    cleaned: bool = False  # more than Markdown was removed: `./`, `:40`, backslashes
    in_comment: bool = False  # it is in an HTML comment, which a rendered page does not show


def path_of_changed_file(line: str) -> PathLine | None:
    """Read a heading such as `### Updated file: a.py`. It names the file of a hunk, which must already exist."""
    if len(line) > LONGEST_PATH_LINE:
        return None
    match = re.match(_CHANGED, line.strip(" \t"))
    if match is None or clear_path(match[1]) is None:
        return None
    return find_path(match[1])


def is_plain_path(line: str) -> bool:
    """Whether a line is an ordinary path and nothing else."""
    return _PLAIN.match(line) is not None and line not in _ABBREVIATIONS


def find_path(line: str) -> PathLine | None:
    """Read `line` as the name of one file; None if it is not one."""
    if len(line) > 2 * LONGEST_PATH_LINE or line.endswith(_NO_ENDS):  # cheap, as every block may ask about the line
        return None
    return _find_path(line.strip(" \t"))


def clear_path(line: str) -> str | None:
    """The path of the file that `line` names; None if it names none, or if its path is weak."""
    path_line = find_path(line)
    if path_line is None or path_line.weak:
        return None
    return path_line.path


@lru_cache(maxsize=256)  # blocks name the same few files again and again
def _find_path(text: str) -> PathLine | None:
    if not text or text.startswith(_NO_BEGINNINGS) or text.endswith(_NO_ENDS):
        return None
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST_PATH_LINE:
        return None
    if is_plain_path(text):
        return PathLine(text)
    steps, marked = _unwrap(text)
    bare = steps[-1]
    path = _clean(bare, marked)
    if not _may_be_path(path):
        return None
    is_listed = re.match(_HEADING_OR_ITEM, text) is not None
    weak = _is_weak(path, marked, is_listed) or _is_a_word(path, is_unwrapped=len(steps) > 1, marked=marked)
    in_comment = any(step.startswith("<!--") for step in steps[:-1])
    return PathLine(path, weak, path != bare, in_comment)


def _unwrap(text: str) -> tuple[list[str], bool]:
    """Remove Markdown, comment signs and labels, at most 8 times; return all steps, and whether the path was marked.

    The first step is the whole text. The path in a tag of a tool call, or in its attribute, is returned as it is.
    """
    if match := re.match(_TOOL_TAG, text):
        return [match[2].strip(" \t")], True
    if match := re.match(_NAMING_TAG, text):
        names = {"".join(groups) for groups in re.findall(_NAMING_ATTRIBUTE, match[1])}
        if len(names) == 1:
            return [names.pop()], True
    marked = False
    steps = [text]
    for _ in range(8):
        for pattern, marks in _WRAPPINGS:
            match = re.match(pattern, text)
            if match is not None and (pattern is not _LEAD_IN or is_file_like(match[1])):
                text = match[match.lastindex or 0].strip(" \t")
                marked = marked or marks
                steps.append(text)
                break
        else:
            break
    return steps, marked


def _clean(text: str, marked: bool) -> str:
    text = re.sub(_LINES, "", text)
    is_escaped = not marked and len(re.findall(_ESCAPED, text)) == text.count("\\")
    if "\\" in text and "/" not in text and not is_escaped:
        text = text.replace("\\", "/")
    return text.removeprefix("./")


def clean_path(text: str) -> PathLine:
    """Read a text that can only be a path: remove quotes around it, `./` and `:40`, turn backslashes into slashes."""
    match = re.match(_QUOTES, text)
    bare = text
    if match is not None:
        bare = match[match.lastindex or 0]
    path = _clean(bare, marked=True)
    return PathLine(path, cleaned=path != text)


def _may_be_path(path: str) -> bool:
    """Whether a text can be a path. If it has several words, the last one, and no other, must have an extension."""
    if "://" in path or path.endswith(_NO_ENDS) or path in _ABBREVIATIONS:
        return False
    if re.search(_NOT_IN_PATHS, path) or not re.search(_LETTER_OR_DIGIT, path):
        return False
    if path.startswith(("$", "@", "=", "(", "{", "[")) and "/" not in path:
        return False
    *words, last = path.split()
    if any(re.match(_EXTENSION, word) for word in words):
        return False
    return not words or re.match(_EXTENSION, last) is not None


def _is_weak(path: str, marked: bool, is_listed: bool) -> bool:
    """Whether a path may not be meant as one. `is_listed`: its line is a heading or an item of a list."""
    if len(path.split()) > 1:
        return not marked
    if re.match(_WORDY_EXTENSION, path) or re.match(_DOTFILE, path):
        return False
    if path.rpartition("/")[2] in KNOWN_NAMES:  # but a line such as `## CHANGELOG` is a heading of the answer
        return is_listed and not marked
    is_pair = all(len(part) <= 2 for part in path.split("/"))  # `I/O`, `N/A`
    if "/" not in path or is_pair:
        return True
    return not marked and re.match(_SLASHED_WORDS, path) is not None


def _is_a_word(path: str, *, is_unwrapped: bool, marked: bool) -> bool:
    """Whether a name is a word rather than a file: the extension of a language, such as `.py`, or a product."""
    if path.startswith(".") and path[1:].lower() in _EXTENSIONS | {"net"}:
        return True
    return is_unwrapped and not marked and re.match(_PRODUCT, path) is not None


def is_example_path(path: str) -> bool:
    """Whether a path is a placeholder, such as `path/to/file.py` or `filename.ext`, which never names a new file."""
    return path.startswith(("path/to/", "your/")) or path.endswith(".ext")


def is_file_like(path: str) -> bool:
    """Whether one word is the name of a file rather than of a module, a method, a product or a host."""
    name = path.rpartition("/")[2]
    if name.lower() in _PRODUCTS and "/" not in path:
        return False
    return " " not in path and (name in KNOWN_NAMES or name.rpartition(".")[2].lower() in _EXTENSIONS)


def advice_for_weak_path(path: str) -> str:
    """Advice how to write a weak path so that it can name a new file: in back-ticks, or as a `File:` heading."""
    if find_path(f"`{path}`") == PathLine(path):
        return "put it in back-ticks"
    return f"write `### File: {path}`"


def is_item(line: str) -> bool:
    return re.match(_ITEM, line.strip(" \t")) is not None


def paths_within(line: str) -> list[str]:
    """The words in a sentence that certainly name files, to notice that it mentions another file."""
    if len(line) > 2 * LONGEST_PATH_LINE:
        return []
    words = (word.strip("`*'\"()[]{}:,;.!?") for word in line.split())
    candidates = (clear_path(word) for word in words if is_file_like(word))
    return [path for path in candidates if path is not None]


def path_in_info(info: str) -> PathLine | None:
    """The path in a fence's info string: `lang:path`, `lang path`, `title=path` and the like, or one word.

    It must have a `/` or an extension with a letter, so that a language is never taken for a path.
    """
    if "." not in info and "/" not in info and "\\" not in info:
        return None
    text = re.sub(_POSITION, "", info.strip(" \t"), count=1)
    if match := re.search(_KEY, text):
        text = match[1] or match[2] or match[3]
    else:
        if match := re.match(_LANG, text):
            text = match[1]
        if " " in text or "\t" in text or re.match(_OTHER_KEY, text):
            return None
    path = find_path(text)
    if path is None or not ("/" in path.path or re.match(_INFO_EXTENSION, path.path)):
        return None
    return path._replace(weak=False)
