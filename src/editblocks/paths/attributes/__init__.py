"""Find the files that git converts on checkout and commit, from .gitattributes and without running git."""

from __future__ import annotations

from editblocks.paths.attributes.values import WATCHED, attribute_values, filtered_attribute, is_lfs_pointer

__all__ = ["WATCHED", "attribute_values", "filtered_attribute", "is_lfs_pointer"]
