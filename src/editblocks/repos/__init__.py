"""Where files are read and written: one module a store, all of them a `run.flow.Repo`."""
