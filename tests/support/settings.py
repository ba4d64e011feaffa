"""The table of settings as tests ask it: what words, lists and numbers a setting takes."""

from __future__ import annotations

from editblocks.config.table import TABLE, Choice, Items, Number

CHOICES = {setting.key: setting.check.words for setting in TABLE if isinstance(setting.check, Choice)}
LISTS = {setting.key: setting.check for setting in TABLE if isinstance(setting.check, Items)}
NUMBERS = {setting.key: setting.check for setting in TABLE if isinstance(setting.check, Number)}
