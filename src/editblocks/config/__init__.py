"""Settings from the configuration file, the environment and front matter, each checked where it is read."""
