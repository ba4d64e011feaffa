"""The services from which responses come and to which statuses go. Each has its own folder."""
