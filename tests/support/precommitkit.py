"""The pre-commit plugin as a repository, for tests and the benchmark, with a pre-commit that cannot use the network.

pip installs from wheels packed from this environment (`wheelhouse`), and the proxy variables name a closed port.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from support import gitkit
from support.gitkit import git, line
from support.hookkit import SCRIPTS, search_path
from support.project import ROOT
from support.wheelhouse import needed_by, pack_wheels

PRE_COMMIT = SCRIPTS / "pre-commit"
NOWHERE = "http://127.0.0.1:9"  # a closed port


def make_wheels(path: Path) -> Path:
    """Fill a folder with the wheels that pip needs to install the plugin."""
    return pack_wheels(["hatchling", *needed_by("editblocks")], path)


def make_plugin(path: Path) -> Path:
    """Copy this checkout into a new repository with one commit."""
    path.mkdir()
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, path)
    for name in ("src", "docs", "examples", "hooks"):  # the wheel includes files from the last three
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    git(path, "init", "--quiet")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "x")
    return path


def environment(home: Path, wheels: Path) -> Mapping[str, str]:
    """The whole environment of pre-commit, which keeps its cache in `home`."""
    return {
        **gitkit.ISOLATED,
        "PATH": search_path(SCRIPTS),
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "store"),
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "VIRTUALENV_NO_PERIODIC_UPDATE": "1",
        "GIT_ALLOW_PROTOCOL": "file",
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), NOWHERE),
    }


def configured(plugin: Path, *hooks: str) -> bytes:
    """`.pre-commit-config.yaml` with these hooks of the plugin at its HEAD. A hook is its id, or several lines."""
    rev = line(plugin, "rev-parse", "HEAD")
    start = f"repos:\n  - repo: {plugin.as_uri()}\n    rev: {rev}\n    hooks:\n"
    return (start + "".join(f"      - id: {hook}\n" for hook in hooks)).encode()
