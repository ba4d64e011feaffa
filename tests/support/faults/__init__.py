"""Try thousands of faults: of GitHub, full disks, killed processes, concurrent writes: `python -m support.faults`."""
