"""Which files git converts on their way to and from disk, read from .gitattributes without git."""

from __future__ import annotations

from editblocks.paths.attributes.values import WATCHED, attribute_values, filtered_attribute, is_lfs_pointer

__all__ = ["WATCHED", "attribute_values", "filtered_attribute", "is_lfs_pointer"]
