"""The table of settings for tests: the settings that take a word, a list, or a number, by key."""

from editblocks.config.table import TABLE

CHOICES = {setting.key: setting.accepts for setting in TABLE if isinstance(setting.accepts, tuple)}
LISTS = {setting.key: setting for setting in TABLE if setting.most}
NUMBERS = {setting.key: setting.accepts for setting in TABLE if isinstance(setting.accepts, range)}
