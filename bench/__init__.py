"""Measured workloads: `python -m bench` prints their ratios beside the targets of docs/internals/performance.md."""
