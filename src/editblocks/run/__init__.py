"""The whole flow on one page, with its two interfaces to the outside: a repository and a host."""
