"""Show files to a model: fences and definitions for every prompt, and the lines that a failed block has to fit.

The fitting blocks of the response are applied to the files, because the model is told not to send those again. A fence
holds only lines of the file, so that text copied from it is found there; only very long lines are cut.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from editblocks.applying.files import Read
from editblocks.core.characters import SURROGATE
from editblocks.core.codes import EditStatus
from editblocks.core.errors import LevelUnavailable, UnreadableFile
from editblocks.core.mismatch import Candidate
from editblocks.core.model import ApplyResult
from editblocks.core.phrases import blocks, join_words, named_lines
from editblocks.matching.align import kept_lines
from editblocks.paths.policy import is_secret
from editblocks.report.escape import code_span, ticks
from editblocks.text.languages import MOST_BYTES, SyntaxReader, TooHard, grammar_for
from editblocks.text.source_text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_LINE = 400
_WHOLE_FILE = 40  # lines; a file that has no more is shown whole if no place in it is similar
_SIGNATURE = 80  # characters of a signature
_NAMED = 2  # signatures in a sentence
_MOST_PARSED = 4 * MOST_BYTES  # bytes of files that are parsed for one prompt, which takes a second or two
_LEAST_TICKS = 4  # back-ticks of a fence, because files often contain fences of three
_CUT = "more characters]"


class FileText(NamedTuple):
    """A file with the fitting blocks applied, which is what a corrected block has to fit.

    `pending` are the blocks whose changes are in `lines` and not in the file yet. `new_index` maps the indexes of lines
    of the planned file to those in `lines`; None if both are the same. Line numbers of candidates refer to the planned
    file, or to `lines` if the candidate exists only `after` other blocks. `name` is how sentences call the file.
    `around` returns the definitions around a line of `lines`, the outermost first, or none without the extra `syntax`.
    """

    lines: Sequence[str]
    info: str
    pending: tuple[int, ...] = ()
    new_index: Mapping[int, int] | None = None
    name: str = "the file"
    around: "Callable[[int], Sequence[Definition]]" = lambda _line: ()

    def place(self, candidate: Candidate) -> tuple[int, int]:
        """Return the span of `lines` that a candidate names."""
        start = self.line(candidate.start_line, candidate)
        end = self.line(candidate.end_line, candidate)
        if start is None or end is None:  # the file is not part of the plan
            start = candidate.start_line - 1
            end = candidate.end_line - 1
        start = min(start, max(0, len(self.lines) - 1))
        return start, min(max(start + 1, end + 1), len(self.lines))

    def line(self, number: int, candidate: Candidate) -> int | None:
        """Return the index in `lines` of a line number of `candidate`; None if the line is gone."""
        if candidate.after or self.new_index is None:
            return number - 1
        return self.new_index.get(number - 1)

    def where(self, start: int, stop: int, inside: str = "") -> str:
        """Return `Lines 30-33 of the file are now:`, or with `With block 2 applied` in front if a block is pending."""
        verb = "are" if stop - start > 1 else "is"
        lines = f"{named_lines((start + 1, stop))} of {self.name}"
        if self.pending:
            return f"With {blocks(self.pending)} applied, {lines}{inside} {verb}:"
        return f"{lines.capitalize()}{inside} {verb} now:"

    def inside(self, line: int, start: int) -> str:
        """Return `, in `class Cart:` and `def total(self):`,` for the definitions around a line.

        Only definitions that begin above line `start` are named; empty if there are none.
        """
        spans = [self._signature(each) for each in self.around(line) if each.line < start]
        if not spans:
            return ""
        return f", in {join_words(spans[-_NAMED:])},"

    def _signature(self, definition: "Definition") -> str:
        stop = definition.body if definition.body < definition.stop else definition.line + 1
        return code_span(" ".join(line.strip() for line in self.lines[definition.line : stop]), limit=_SIGNATURE)

    def whole(self) -> str:
        """Return the sentence of `where` for the whole file."""
        if self.pending:
            return f"With {blocks(self.pending)} applied, the file is:"
        return "The file is now:"


class Files:
    """Reads the files of a plan, each once."""

    def __init__(self, result: ApplyResult, read: Read) -> None:
        self._result = result
        self._read = read
        self._known: dict[str, FileText | None] = {}
        self._parsed = 0  # bytes

    def text(self, path: str) -> FileText | None:
        """Return a file with the fitting blocks applied; None if it is missing, is not text, or must not be shown."""
        if path in self._result.hidden_texts or is_secret(path):
            return None
        if path not in self._known:
            try:
                self._known[path] = self._text(path)
            except UnreadableFile:
                self._known[path] = None
        return self._known[path]

    def _text(self, path: str) -> FileText | None:
        result = self._result
        shown = self._read(path)
        planned = shown  # the file that the blocks were compared with
        is_pending = False
        if path in result.contents:
            planned = result.originals.get(result.renamed.get(path, path))
            is_pending = shown == result.originals.get(path)
        if is_pending:
            shown = result.contents[path]
        if shown is None:
            return None
        lines = SourceText.decode(shown, path).lines
        text = FileText(lines, info_of(path), around=self._definitions(path, lines, len(shown)))
        if shown == planned:
            return text
        if is_pending:
            applied = (row.block for row in result.results if row.status is EditStatus.APPLIED)
            text = text._replace(pending=tuple(block.number for block in applied if path in block.paths))
        kept = kept_lines(SourceText.decode(planned or b"", path).lines, lines)
        return text._replace(new_index={old: new for new, old in kept.items()})

    def _definitions(self, path: str, lines: Sequence[str], size: int) -> "Callable[[int], Sequence[Definition]]":
        """Return a function that finds the definitions around a line.

        It parses the file when it is first called, unless the prompt has parsed too much already.
        """

        @cache
        def all_definitions() -> Sequence[Definition]:
            self._parsed += size
            if self._parsed > _MOST_PARSED:
                return ()
            try:
                return definitions(lines, path)
            except LevelUnavailable:
                return ()

        return lambda line: [each for each in all_definitions() if each.start <= line < each.stop]


class Excerpt(NamedTuple):
    """Lines `start:stop` of a file (0-based). If there is less room, the lines around `place` or its line `focus`."""

    file: FileText
    start: int
    stop: int
    place: tuple[int, int]
    focus: int = 0
    is_whole: bool = False  # show the whole file or nothing of it

    def text(self, limit: int, *, with_definitions: bool = False) -> str:
        """Return a sentence and a fence with at most `limit` lines; empty if there are no lines to show.

        `with_definitions`: the sentence names the definitions around the place that begin above the lines.
        """
        start = self.start
        stop = self.stop
        first, last = self.place
        too_long = ""
        if not limit or start >= stop or (self.is_whole and stop > min(limit, _WHOLE_FILE)):
            return ""
        if stop - start > limit:
            if last - first <= limit:
                start = max(start, first - (limit - (last - first)) // 2)
            else:
                too_long = f"The place has {last - first} lines, more than there is room for. "
                start = min(max(first, self.focus - limit // 2), last - limit)
            stop = min(stop, start + limit)
        inside = self.file.inside(first, start) if with_definitions and start else ""
        sentence = self.file.whole() if self.is_whole else too_long + self.file.where(start, stop, inside)
        lines = self.file.lines[start:stop]
        shown = [cut_line(line) for line in lines]
        fenced = fence("".join(f"{line}\n" for line in shown), self.file.info)
        if shown == list(lines):
            return f"{sentence}\n{fenced}"
        return f"{sentence}\n{fenced}\nA line that ends in `{_CUT}` is longer than shown; do not copy it."


def widen(file: FileText, place: tuple[int, int], context: int, focus: int | None = None) -> Excerpt:
    """Return the lines at `place` with `context` lines above and below, without blank lines at the ends.

    `place` is 0-based and half-open. `focus` is the line at which the block differs from the file.
    """
    start, stop = place
    first = max(0, start - context)
    last = min(len(file.lines), stop + context)
    while first < start and not file.lines[first].strip():
        first += 1
    while last > stop and not file.lines[last - 1].strip():
        last -= 1
    return Excerpt(file, first, last, (start, stop), min(max(focus or 0, start), stop))


def cut_line(line: str) -> str:
    """Return the line; a very long one is cut, with the number of characters that are missing."""
    more = len(line) - LONGEST_LINE
    if more <= 0:
        return line
    return f"{line[:LONGEST_LINE]}… [{more:,} {_CUT}"


def info_of(path: str) -> str:
    """Return the info string of the fence around a file, such as `py` or `makefile`."""
    kind = re.split("[./]", path)[-1].lower()
    return kind if kind.isascii() and kind.isalpha() else "text"


def fence(text: str, info: str = "text") -> str:
    """Put text into a fence longer than any run of back-ticks inside; lone surrogates become U+FFFD."""
    body = re.sub(SURROGATE, "\ufffd", text)
    if body and not body.endswith("\n"):
        body += "\n"
    edge = ticks(body, _LEAST_TICKS)
    return f"{edge}{info}\n{body}{edge}"


# Definitions (functions, classes and types) are found with tree-sitter, as line ranges. One table of node types serves
# all grammars of `languages`. Definitions inside a function are not found: they are part of it.

SHORT_TYPE = 30  # lines: the signature of a type includes its fields, unless there are too many
_FUNCTIONS = frozenset(
    """
    function_definition function_declaration generator_function_declaration function_signature function_item
    function_signature_item method_definition method_declaration method_signature abstract_method_signature method
    singleton_method constructor_declaration compact_constructor_declaration destructor_declaration
    operator_declaration conversion_operator_declaration indexer_declaration delegate_declaration
    property_declaration local_function_statement annotation_type_element_declaration macro_definition
    preproc_function_def
    """.split()
)
_CLASSES = frozenset(
    """
    class_definition class_declaration abstract_class_declaration class singleton_class class_specifier module
    internal_module mod_item foreign_mod_item impl_item trait_item trait_declaration namespace_definition
    namespace_declaration
    """.split()
)
_TYPES = frozenset(
    """
    struct_item union_item enum_item type_item struct_declaration enum_declaration interface_declaration
    record_declaration annotation_type_declaration type_declaration type_alias type_alias_declaration
    type_alias_statement type_definition alias_declaration concept_definition struct_specifier union_specifier
    enum_specifier
    """.split()
)
# A named function, or an object of functions: `const total = (items) => {…}`, `total = () => {…}` in a class,
# `exports.total = function …`, `module.exports = {…}`, `export default () => {…}`, and Go's `var total = func() {…}`.
_NAMED_VALUES = frozenset(
    """
    variable_declarator public_field_definition field_definition pair assignment_expression export_statement var_spec
    """.split()
)
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "func_literal"})
_PROTOTYPES = frozenset({"declaration", "field_declaration"})  # in C and C++, if they declare a function
_AROUND = frozenset(
    """
    decorated_definition template_declaration export_statement ambient_declaration lexical_declaration
    variable_declaration
    """.split()
)
_ABOVE = frozenset({"attribute_item", "decorator"})
_ONLY_IF_DEFINED = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier", "class"})


class Definition(NamedTuple):
    """One definition. All lines are 0-based; `start:stop` is the whole definition, with its decorators.

    `start:body` is the signature: all of a short type, or of a definition without a body. `line` has the name.
    `is_class`: other definitions may be inside.
    """

    start: int
    line: int
    body: int
    stop: int
    is_class: bool


def definitions(lines: Sequence[str], path: str) -> list[Definition]:
    """Return the definitions of a file, in order, a class before its members.

    Raises `LevelUnavailable` without the extra or a grammar, and for a file that is too large or nested too deeply.
    """
    grammar = grammar_for(path)
    if grammar is None:
        raise LevelUnavailable(f"no grammar for {path}")
    reader = SyntaxReader(grammar)
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    try:
        if len(data) > MOST_BYTES:
            raise TooHard
        return list(_walk(reader.parse(data).root))
    except TooHard:
        raise LevelUnavailable(f"{path} is too large or too deeply nested to find its definitions") from None


def _walk(root: "Node") -> Iterator[Definition]:
    """Yield the definitions below a node. The walk has its own stack, so that deep nesting needs no recursion."""
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        definition = _definition(node)
        if definition is not None:
            yield definition
        if definition is None or definition.is_class:
            waiting.extend(reversed(node.named_children))


def _definition(node: "Node") -> Definition | None:
    kind = node.type
    body = node.child_by_field_name("body")
    if kind in _FUNCTIONS:
        body = body or node.child_by_field_name("value")
    elif kind in _NAMED_VALUES:
        value = _function_value(node)
        if value is None:
            return None
        kind = value.type
        body = value.child_by_field_name("body") or value
    elif kind in _PROTOTYPES:
        if not _declares_function(node):
            return None
    elif (kind not in _CLASSES and kind not in _TYPES) or (kind in _ONLY_IF_DEFINED and body is None):
        return None
    start = _first_line(node)
    line = node.start_point.row
    stop = _after(node)
    if kind in _TYPES and stop - start <= SHORT_TYPE:
        return Definition(start, line, stop, stop, is_class=False)
    signature = line + 1
    if body is not None:
        signature = max(signature, _signature_end(body))
    elif stop - line <= SHORT_TYPE:
        signature = max(signature, stop)
    is_class = kind in _CLASSES or kind in _TYPES or kind == "object"
    return Definition(start, line, signature, stop, is_class)


def _function_value(node: "Node") -> "Node | None":
    """Return the function, or the object with functions, that a node gives a name; None if there is none."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None:
        return None
    values = [value]
    if value.type == "expression_list":
        values = value.named_children
    return next((each for each in values if each.type in _FUNCTION_VALUES or _holds_functions(each)), None)


def _holds_functions(node: "Node") -> bool:
    if node.type != "object":
        return False
    values = (member.child_by_field_name("value") or member for member in node.named_children)
    return any(value.type in _FUNCTION_VALUES or value.type == "method_definition" for value in values)


def _declares_function(node: "Node") -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return declarator is not None


def _first_line(node: "Node") -> int:
    """Return the line of the first decorator or attribute, or of the node around the definition, such as an export."""
    while node.parent is not None and node.parent.type in _AROUND:
        node = node.parent
    above = node.prev_named_sibling
    while above is not None and above.type in _ABOVE:
        node = above
        above = node.prev_named_sibling
    return node.start_point.row


def _signature_end(body: "Node") -> int:
    """Return the line after the signature, which does not include a brace or a comment on a line of its own."""
    before = body.prev_sibling
    while before is not None and "comment" in before.type:
        before = before.prev_sibling
    return _after(before or body)  # in every grammar, some node is before a body


def _after(node: "Node") -> int:
    """Return the line after a node. A node that ends at the start of a line does not include that line."""
    return node.end_point.row + (node.end_point.column > 0)
