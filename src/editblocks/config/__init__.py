"""Read settings from the configuration file, the environment and front matter; each is checked where it is read."""
