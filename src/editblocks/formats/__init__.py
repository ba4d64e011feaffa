"""The formats: one module for each way to write blocks, and one scanner that is built from all of them.

The markers of a `Grammar` determine how blocks are read and streamed, which notes nearly right markers get, and what
hooks look for. A new format may also need an entry in these places:

- `matching/ladder.py`, `EXACT_FORMATS`: if it must match exactly, at every level.
- `matching/block_readings.py`, `_DIVIDER_SIGNS`: if its dividers are not made of `=`.
- `core/settings.py`, `KITS`, and `prompts/kits.py`: if models can be prompted to write it.
- The schemas, the workflows and docs/reference/formats/index.md: failing tests show what is missing there.
"""
