"""The formats: one module for each way to write blocks, and one scanner that is built from all of them.

The markers of a `Grammar` determine how blocks are read and streamed, which notes nearly right markers get, and what
hooks look for (hooks/gate.py and the workflows have a copy, which `python -m support.needles` in tests/ writes). A new
format may also need an entry in these places:

- `matching/ladder.py`, `EXACT_FORMATS`: if it must match exactly, at every level.
- `matching/block_readings.py`, `_UNLIKE_CODE`: if its dividers are not made of `=`.
- `_START_OF_EDIT` in `call_strings.py` and `SIGNS_OF_JSON` in `tool_calls.py`: if calls may contain its blocks.
- `formats/patch_lines.py`, `may_continue_diff`: if its markers begin like a line of a diff.
- `core/settings.py`, `KITS`, and `prompts/kits.py`: if models can be prompted to write it.
- The schemas, the workflows and docs/reference/formats/index.md: failing tests show what is missing there.
"""
