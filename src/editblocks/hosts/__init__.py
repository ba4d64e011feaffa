"""The services that responses come from and statuses go to: one module each, and each is a `run.flow.Host`."""
