"""Explain why a block was not applied, in one line for people: `what is wrong, where; what to do`.

For four reasons, the sentence is written here, on demand, from the facts of a `Mismatch`. Other checks bring their own
sentences. No code parses a sentence.
Line numbers of a file that earlier blocks have changed say so: `line 8 of cart.py after block 1`.
Wording: docs/reference/reasons.md. The module is in `core` because `EditResult.reason` needs it.
"""

from collections.abc import Mapping, Sequence
from unicodedata import combining, normalize

from editblocks.core.characters import code_point, is_hidden, show_text, unicode_form
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate, Hint, Mismatch
from editblocks.core.phrases import after_blocks, join_words, line_of, line_range, named_lines, noun_for, plural

Parts = tuple[str, str]  # what is wrong and where; what to do, which may be empty

_MOST_NAMED = 10
_LONGEST_PIECE = 20  # characters of code that a hint shows
_MOST_CHARACTERS = 4  # characters of other text
_ADD_LINES = "add a line above or below"
_WRITE_EXACTLY = "write the old lines exactly as they are in the file"
_NAMES = {" ": "space", "\t": "tab", "\\": "backslash", "`": "backtick"}
_KINDS = {"Unicode normal form": "Unicode normal form (NFC, NFD)"}


def parts(path: str, mismatch: Mismatch, *, is_call: bool = False) -> Parts:
    """Return what is wrong with a block of the file `path`, and what a person can do about it.

    `is_call`: the block is a tool call, so its old text is not called SEARCH.
    """
    if mismatch.what:
        return mismatch.what, mismatch.advice
    match mismatch.code:
        case ReasonCode.NO_MATCH:
            return _no_match(path, mismatch, is_call)
        case ReasonCode.AMBIGUOUS:
            return _ambiguous(path, mismatch)
        case ReasonCode.STALE:
            return _stale(path, mismatch)
        case ReasonCode.FILE_NOT_FOUND:
            return _file_not_found(path, mismatch)
        case _:
            return "", ""


def _ambiguous(path: str, mismatch: Mismatch) -> Parts:
    if mismatch.duplicate is not None:
        return _replace_is_elsewhere(path, mismatch, mismatch.duplicate)
    places = f"more than one place of {path}"
    if mismatch.candidates:
        places = _list_places(path, mismatch)
    matches = "matches"
    if mismatch.strategy:
        matches = f"matches by {mismatch.strategy}"
    return f"{_not_there(mismatch)}{matches} {places}", _ADD_LINES


def _replace_is_elsewhere(path: str, mismatch: Mismatch, duplicate: Candidate) -> Parts:
    """Explain that SEARCH matches one place, while REPLACE is already at another place."""
    chosen = next((place for place in mismatch.candidates if place != duplicate), duplicate)
    at = f"line {chosen.start_line} of {path}{_after(chosen.after)}"
    replace_clause = f"the new lines are already at line {duplicate.start_line}{_after(duplicate.after)}"
    if mismatch.strategy == "exact":  # as when the block has already changed one of two equal places
        return f"matches {at}, and {replace_clause}", "check both places"
    return f"matches {at} only approximately ({mismatch.strategy}), and {replace_clause}", _WRITE_EXACTLY


def _no_match(path: str, mismatch: Mismatch, is_call: bool) -> Parts:
    is_in_file = bool(mismatch.candidates) and mismatch.similarity is None
    if is_in_file and mismatch.failed_condition:
        return _no_allowed_place(path, mismatch)
    if is_in_file or (mismatch.candidates and mismatch.strategy):
        return _one_place(path, mismatch, mismatch.candidates[0])
    clauses = []
    if mismatch.failed_condition:
        clauses.append(_missing_scope(path, mismatch.scopes))
    clauses.append(_not_there(mismatch) + _which_differs(path, mismatch))
    if mismatch.candidates:
        clauses.append(_closest(mismatch.candidates[0], mismatch.similarity or 0))
    clauses += [", ".join(filter(None, hint(each, is_call=is_call))) for each in mismatch.hints]
    names_lines = any(each.kind in ("elsewhere", "part") for each in mismatch.hints)
    if mismatch.candidates or names_lines:
        return "; ".join(clauses), ""
    return "; ".join(clauses), "copy the current lines"


def _closest(place: Candidate, similarity: float) -> str:
    lines = named_lines((place.start_line, place.end_line))
    return f"the closest text is {lines}, {similarity * 100:.0f} % alike"


def _one_place(path: str, mismatch: Mismatch, place: Candidate) -> Parts:
    """Explain why the only place is not used: the match is too loose to delete lines, or a person chose another."""
    after = _after(place.after)
    if not mismatch.strategy:
        clause = f"its old lines are at line {place.start_line} of {path}{after}"
        return f"{clause}, not {_chosen(mismatch)}", "check both places"
    verb = "match"
    if place.start_line == place.end_line:
        verb = "matches"
    lines = f"{named_lines((place.start_line, place.end_line))} of {path}{after}"
    return f"{lines} {verb} only approximately ({mismatch.strategy}), too loosely to delete them", _WRITE_EXACTLY


def _no_allowed_place(path: str, mismatch: Mismatch) -> Parts:
    """Explain that the old lines are in the file, but not in a place that the hunk allows."""
    places = _list_places(path, mismatch)
    if mismatch.failed_condition == "no-scope":
        return _missing_scope(path, mismatch.scopes), "copy the scope from the file"
    if mismatch.failed_condition == "scope":
        scope = _scope(mismatch.scopes[-1])
        return f"its old lines are {places}, outside its {scope}", "name the scope that holds the lines"
    if mismatch.failed_condition == "end":
        end = "add the lines that follow, or leave out the end-of-file line"
        return f"its old lines are {places}, but {path} does not end there", end
    return (
        f"its old lines are {places} only because another hunk of its patch adds lines there",
        "write one hunk for both changes",
    )


def _missing_scope(path: str, scopes: Sequence[str]) -> str:
    missing = f"{_scope(scopes[-1])} is not in {path}"
    if len(scopes) == 1:
        return missing
    return f"{missing} below `{show_text(_first_line(scopes[-2]))}`"


def _scope(scope: str) -> str:
    """Return a scope for people. A hunk that has only context lines is a scope, and may have several lines."""
    first = show_text(_first_line(scope))
    count = scope.count("\n") + 1
    if count == 1:
        return f"scope `{first}`"
    return f"scope of {count} lines from `{first}` on"


def _first_line(scope: str) -> str:
    return scope.partition("\n")[0]


def _not_there(mismatch: Mismatch) -> str:
    """Return the opening clause if a person chose a line at which the block does not fit; otherwise an empty text."""
    if mismatch.chosen_line is None:
        return ""
    return f"not {_chosen(mismatch)}: "


def _chosen(mismatch: Mismatch) -> str:
    """Return the line that a person chose: one of the branch, even if the places are lines after other blocks."""
    line = f"at line {mismatch.chosen_line}"
    if any(place.after for place in mismatch.candidates):
        return f"{line} of the branch"
    return line


def _which_differs(path: str, mismatch: Mismatch) -> str:
    """Say which line differs first, and where; or that nothing close was found."""
    first = mismatch.first_difference
    file = f"{path}{_after(mismatch.after)}"
    if not mismatch.candidates and any(each.kind == "part" for each in mismatch.hints):
        return f"its old line is not a whole line of {file}"
    if not mismatch.candidates:
        return f"its old lines are not in {file}, and nothing close to them was found"
    if first is None:
        return f"the lines of the block are in {file}, but not together"
    line = f"line {first.search_line} of the block"
    if first.section:
        line = f"{line} ({first.section})"
    where = line_of(path, first.line, first.after)
    if first.actual is None:
        return f"{line} differs from {path}{_after(first.after)}, which ends before line {first.line}"
    if first.after:
        return f"{line} differs from {where}, at column {first.column}"
    return f"{line} differs from {where} at column {first.column}"


def _stale(path: str, mismatch: Mismatch) -> Parts:
    base = f"{mismatch.base[:7]}, the base of this answer"
    first = mismatch.first_difference
    if first is None:
        what = f"{path} existed in {base}, and it no longer exists"
        return what, "leave the block out, or write one that creates the file"
    where = line_of(path, first.line, first.after)
    return f"{where} changed since {base}", "write the block against the lines that are there now"


def _file_not_found(path: str, mismatch: Mismatch) -> Parts:
    near = [show_text(name) for name in mismatch.near]
    same = next((name for name in mismatch.near if normalize("NFC", name) == normalize("NFC", path)), None)
    if same is not None and same != path:
        forms = f"{unicode_form(same)}, not {unicode_form(path)}"
        return f"there is no {show_text(path)}", f"a file has this name in another Unicode form ({forms})"
    advice = f"similar: {join_words(near)}"
    if not near:
        advice = "check the path"
    elif len(near) == 1:
        advice = f"the nearest name is {near[0]}"
    return f"there is no {show_text(path)}", advice


def _list_places(path: str, mismatch: Mismatch) -> str:
    """`at lines 12 and 80 of src/app.py`; places that exist only after earlier blocks come last."""
    shown = mismatch.candidates[:_MOST_NAMED]
    more = max(0, mismatch.candidates_total - _MOST_NAMED)
    own = [each for each in shown if not each.after]
    written = [each for each in shown if each.after]
    if not own or not written:
        return f"{_lines(shown, more)} of {path}{_after(shown[0].after)}"
    return f"{_lines(own)} of {path}, and {_lines(written, more)}{_after(written[0].after)}"


def _lines(candidates: Sequence[Candidate], more: int = 0) -> str:
    numbers = [str(each.start_line) for each in candidates]
    if more:
        numbers.append(f"{more} more")
    return f"at {noun_for(len(numbers), 'line')} {join_words(numbers)}"


def _after(after: Sequence[int]) -> str:
    if not after:
        return ""
    return f" {after_blocks(after)}"


_PLAIN_HINTS: Mapping[str, Parts] = {  # by kind: what may explain it, and what to do
    "blank-lines": ("{old} differs only in blank lines", "copy those of the file"),
    "numbered": ("every line of {old} begins with a number ({span})", "leave line numbers out"),
    "patch": ("{old} reads like a patch (lines begin with {words})", "leave its columns out"),
    "escaped": ("{old} is escaped twice: unescaped once, it matches line {span}{after}", "escape it once"),
}


def hint(hint: Hint, *, is_call: bool = False) -> Parts:
    """Return what may explain that a text is not in the file, and what a person can do about it."""
    old = "SEARCH"
    if is_call:
        old = "old text"
    words = join_words([_KINDS.get(word, word) for word in hint.words])
    if hint.kind in _PLAIN_HINTS:
        what, advice = _PLAIN_HINTS[hint.kind]
        span = " to ".join(map(str, dict.fromkeys(hint.lines)))
        return what.format(old=old, words=words, span=span, after=_after(hint.after)), advice
    match hint.kind:
        case "elsewhere":
            what = f"the same text is at {show_text(hint.path)}:{line_range(hint.lines)}"
            if hint.more:
                what = f"{what} and {plural(hint.more, 'more place')}"
            return what, "name that file if you mean it"
        case "there":
            return f"the new lines may already be at line {hint.lines[0]}{_after(hint.after)}", ""
        case "spelled":
            ours, theirs = map(_show, hint.pieces)
            return f"{old} differs only in {words}: {ours} where the file has {theirs}", ""
        case "part":
            what = f"{old} is only a part of line {hint.lines[0]}{_after(hint.after)}"
            if hint.more:
                what = f"{what}, and of {plural(hint.more, 'more line')}"
            return what, "write whole lines"
        case _:  # stand-in
            advice = "write every line out"
            if hint.offers_loose:
                advice = "write every line out, or use --matching loose"
            return f"line {hint.lines[0]} of the block is `{hint.words[0]}`", advice


def _show(piece: str) -> str:
    """Return a few characters: code as it is; white space, invisible and similar signs by name or code point."""
    if not piece:
        return "nothing"
    name = _NAMES.get(piece[0])
    if name is not None and len(piece) > 1 and piece == piece[0] * len(piece):
        return plural(len(piece), name)
    if name is None and piece.isascii() and piece.isprintable():
        return f"`{show_text(piece, _LONGEST_PIECE)}`"
    return " ".join(map(_show_char, piece[:_MOST_CHARACTERS]))


def _show_char(char: str) -> str:
    if char in _NAMES:
        return f"a {_NAMES[char]}"
    if not char.isprintable() or combining(char) or is_hidden(char):
        return code_point(char)
    return f"{code_point(char)} {char}"
