"""Names of files that mostly hold passwords or keys, and so are not given to a model. Only the name is looked at."""

from __future__ import annotations

import re

from editblocks.core.characters import opened_name, strong_key

_SECRET = re.compile(
    r"""
      \.env.* | .*\.env
    | id_(?:rsa|dsa|ecdsa|ed25519).*
    | .*\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx|tfvars | tfstate(?:\.backup)?)
    | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd | \.git-credentials
    | credentials | (?:credentials?|secrets?)\.(?:ya?ml|json|toml|ini|cfg|conf|properties|xml|csv|txt)
    | client_secret.*\.json | service-account.*\.json
    """,
    re.VERBOSE,
)
_IN_FOLDER = re.compile(r"(?:.*/)?\.(?:ssh/.* | aws/config | docker/config\.json | kube/config)", re.VERBOSE)
_SHOWN = re.compile(r"\.env\.(?:example|sample|template|dist)|id_.*\.pub")
_BACKUP = re.compile(r"(?:~|\.bak|\.old|\.orig)+\Z")


def is_secret(path: str) -> bool:
    """Whether the name of a file says that it holds secrets; `.env.example` and the like say that it does not.

    A copy, such as `.env.bak`, is what its original is.
    """
    folder, slash, name = strong_key(path).rpartition("/")
    name = _BACKUP.sub("", opened_name(name))
    if _SHOWN.fullmatch(name):
        return False
    return _SECRET.fullmatch(name) is not None or _IN_FOLDER.fullmatch(f"{folder}{slash}{name}") is not None
