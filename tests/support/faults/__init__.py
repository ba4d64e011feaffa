"""Faults by the thousand: of GitHub, of disks, of processes that are killed or meet: `python -m support.faults`."""
