"""The services that responses come from and statuses go to, one folder each."""
