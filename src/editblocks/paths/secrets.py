"""Find files that usually hold passwords or keys, and so are not given to a model. Only the name is checked."""

from __future__ import annotations

from editblocks.core.characters import opened_name, strong_key

_NAMES = frozenset(".netrc _netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials credentials".split())
_STARTS = (".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_ENDS = (
    *(".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx"),
    *(".tfvars", ".tfstate", ".tfstate.backup"),
)
_STEMS = frozenset("credential credentials secret secrets".split())
_DATA = frozenset("yml yaml json toml ini cfg conf properties xml csv txt".split())  # endings after a stem
_JSON_STARTS = ("client_secret", "service-account")
_IN_FOLDERS = frozenset((".aws/config", ".docker/config.json", ".kube/config"))
_SHOWN = frozenset((".env.example", ".env.sample", ".env.template", ".env.dist"))
_COPIES = ("~", ".bak", ".old", ".orig")


def is_secret(path: str) -> bool:
    """Whether the name of a file suggests that it holds secrets; `.env.example` and the like do not.

    A copy, such as `.env.bak`, is judged by the name of its original.
    """
    folder, _, name = strong_key(path).rpartition("/")
    name = _original(opened_name(name))
    if name in _SHOWN or (name.startswith("id_") and name.endswith(".pub")):
        return False
    folders = folder.split("/")
    return _is_secret_name(name) or ".ssh" in folders or f"{folders[-1]}/{name}" in _IN_FOLDERS


def _original(name: str) -> str:
    """Return the name without the endings that programs add to copies."""
    while name.endswith(_COPIES):
        name = name[:-1] if name.endswith("~") else name.rpartition(".")[0]
    return name


def _is_secret_name(name: str) -> bool:
    if name in _NAMES or name.startswith(_STARTS) or name.endswith(_ENDS):
        return True
    stem, _, kind = name.partition(".")
    return (stem in _STEMS and kind in _DATA) or (name.startswith(_JSON_STARTS) and name.endswith(".json"))
