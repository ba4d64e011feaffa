"""A page on this machine: a server that only the person who started it can reach, and that hands out one page."""
