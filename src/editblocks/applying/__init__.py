"""Blocks and a tree to read in, an `ApplyResult` out: each block placed, each file planned, all of it taken back."""
