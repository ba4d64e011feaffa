"""The settings of a command: its options, then the environment, then the defaults. Page: docs/cli.md, "environment"."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace

from editblocks.settings import Settings

_PREFIX = "EDITBLOCKS_"


def settings_for(options: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> Settings:
    """What holds for this call. Only `apply` writes, whatever `EDITBLOCKS_MODE` says. Raises `ConfigError`."""
    named = _from_environment(environ)
    return replace(
        named,
        token="",  # nothing here asks a server
        mode="apply" if options.command == "apply" else "check",
        partial=getattr(options, "partial", False) or named.partial,
        matching=options.matching or named.matching,
    )


def _from_environment(environ: Mapping[str, str]) -> Settings:
    if not any(name.startswith(_PREFIX) for name in environ):
        return Settings()
    from editblocks.config import settings_from_environment

    return settings_from_environment(environ)
