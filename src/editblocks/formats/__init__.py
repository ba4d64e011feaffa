"""The formats: one module for each way to write blocks, and one scanner that is built from all of them.

The markers of a `Grammar` determine how blocks are read and streamed, which notes nearly right markers get, and what
hooks look for (hooks/gate.py and the workflows have a copy, which `python -m support.needles` in tests/ writes). A new
format may also need an entry in these places:

- `matching/ladder.py`, `EXACT_FORMATS`: if it must match exactly, at every level.
- `matching/block_readings.py`, `_UNLIKE_CODE`: if no line of code looks like its dividers.
- `_START_OF_EDIT` in `call_strings.py` and `SIGNS_OF_JSON` in `tool_calls.py`: so that calls with its blocks get a row.
- `formats/hunks.py`, `may_continue_diff`: if its markers begin like a line of a diff.
- `formats/markers.py`, `SIGNS_THAT_NEED_A_WORD`: if all its markers begin with the same sign, also fixed ones.
- `applying/decide.py` and `applying/mismatches.py` ask for `edit-v3` by name: if it has anchors in the same way.
- `core/settings.py`, `KITS`, and `prompts/texts/`: if models can be prompted to write it.
- The schemas, the workflows and docs/reference/formats/index.md: failing tests show what is missing there.
"""
