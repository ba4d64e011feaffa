"""The formats: how the blocks of each are written, in a module of its own, and the one scanner that is made from them.

Reading, notes on nearly right markers, streaming and what hooks look for follow from the markers of a `Grammar`. What
else a format can need:

- `matching/ladder.py`, `EXACT_FORMATS`: it is matched exactly, at every level.
- `matching/block_readings.py`, `_DIVIDER_SIGNS`: its dividers are not made of `=`.
- `core/settings.py`, `KITS`, and `prompts/kits.py`: models can be told to write it.
- The schemas, the workflows and docs/reference/formats/index.md: tests say what is missing there.
"""
