"""Workloads and ratios: `python -m bench` prints them against the targets of docs/internals/performance.md."""
