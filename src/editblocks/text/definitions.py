"""Find the functions, classes and types that a source file defines, as line ranges, with tree-sitter.

One table of node types serves all grammars of `languages`. Definitions inside a function are not found: they are part
of it. The walk has its own stack, so that deep nesting needs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.errors import LevelUnavailable
from editblocks.text.languages import MOST_BYTES, SyntaxReader, TooHard, grammar_for

if TYPE_CHECKING:
    from tree_sitter import Node

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


def _walk(root: Node) -> Iterator[Definition]:
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        definition = _definition(node)
        if definition is not None:
            yield definition
        if definition is None or definition.is_class:
            waiting.extend(reversed(node.named_children))


def _definition(node: Node) -> Definition | None:
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


def _function_value(node: Node) -> Node | None:
    """The function, or the object with functions, that a node gives a name; None if there is none."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None:
        return None
    values = [value]
    if value.type == "expression_list":
        values = value.named_children
    return next((each for each in values if each.type in _FUNCTION_VALUES or _holds_functions(each)), None)


def _holds_functions(node: Node) -> bool:
    if node.type != "object":
        return False
    values = (member.child_by_field_name("value") or member for member in node.named_children)
    return any(value.type in _FUNCTION_VALUES or value.type == "method_definition" for value in values)


def _declares_function(node: Node) -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return declarator is not None


def _first_line(node: Node) -> int:
    """The line of the first decorator or attribute, or of the node around the definition, such as an export."""
    while node.parent is not None and node.parent.type in _AROUND:
        node = node.parent
    above = node.prev_named_sibling
    while above is not None and above.type in _ABOVE:
        node = above
        above = node.prev_named_sibling
    return node.start_point.row


def _signature_end(body: Node) -> int:
    """The line after the signature, which does not include a brace or a comment on a line of its own."""
    before = body.prev_sibling
    while before is not None and "comment" in before.type:
        before = before.prev_sibling
    return _after(before or body)  # in every grammar, some node is before a body


def _after(node: Node) -> int:
    """The line after a node. A node that ends at the start of a line does not include that line."""
    return node.end_point.row + (node.end_point.column > 0)


def outline(found: Iterable[Definition]) -> list[tuple[int, int]]:
    """The lines of all signatures, as sorted ranges that neither touch nor overlap."""
    return merge_ranges((definition.start, definition.body) for definition in found)


def enclosing(found: Iterable[Definition], start: int, stop: int) -> list[tuple[int, int]]:
    """Lines `start:stop`, extended to whole functions and types, and the signatures of the classes around them."""
    ranges = [(start, stop)]
    for each in found:
        if each.start < stop and start < each.stop:
            last = each.body if each.is_class else each.stop
            ranges.append((each.start, last))
    return merge_ranges(ranges)


def merge_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The line ranges in order, with those that touch or overlap joined."""
    result: list[tuple[int, int]] = []
    for start, stop in sorted(ranges):
        if result and start <= result[-1][1]:
            first, last = result[-1]
            result[-1] = (first, max(last, stop))
        else:
            result.append((start, stop))
    return result
