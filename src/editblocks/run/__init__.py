"""The whole flow in one page, with the two protocols that it speaks to: a repository and a host."""
