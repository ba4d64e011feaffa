"""Names of files that mostly hold passwords or keys, and so are not given to a model. Only the name is looked at."""

from __future__ import annotations

import re

from editblocks.core.characters import opened_name, strong_key

_SECRET = re.compile(
    r"""
      \.env.* | .*\.env
    | id_(?:rsa|dsa|ecdsa|ed25519).*
    | .*\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx|tfstate)
    | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd | \.git-credentials
    | credentials(?:\.json)? | secrets?\.(?:ya?ml|json|toml|ini) | service-account.*\.json
    """,
    re.VERBOSE,
)
_SHOWN = re.compile(r"\.env\.(?:example|sample|template|dist)|.*\.pub")


def is_secret(path: str) -> bool:
    """Whether the name of a file says that it holds secrets; `.env.example` and the like say that it does not."""
    name = opened_name(strong_key(path.rpartition("/")[2]))
    return _SECRET.fullmatch(name) is not None and _SHOWN.fullmatch(name) is None
