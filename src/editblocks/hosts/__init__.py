"""Where responses come from and statuses go: one module a service, all of them a `run.flow.Host`."""
