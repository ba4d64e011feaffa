"""Which names say that a file holds secrets."""

import pytest

from editblocks.paths.policy import is_secret

SECRET = (
    ".env .ENV .env.local .envrc prod.env a/b/.env id_rsa id_rsa.old id_ed25519 server.pem server.KEY a.p12 a.jks "
    "x.kdbx .netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials .aws/credentials credentials.json "
    "secrets.yml config/secret.toml service-account-1.json terraform.tfstate server.pem. .ｅnv "
    ".env.pub .npmrc.bak .env~ server.key.old id_rsa.pub.key .ssh/config home/.ssh/known .aws/config "
    ".docker/config.json a/.Kube/config.bak prod.tfvars terraform.tfstate.backup client_secret_1.json "
    "credentials.csv credential.toml"
).split()
SHOWN = (
    ".env.example .env.sample a/.env.template .env.dist id_rsa.pub env.py environment.yml keys.py key pem.md "
    "src/credentials.py secrets.py secret.py .env.example/readme.md monkey.txt package.json "
    ".env.example.bak .ssh/id_rsa.pub .ssh .aws/task-definition.json .docker/Dockerfile .kube/shop.yaml config.json "
    "docker/config.json prod.tfvars.example client_secret.py .bak secrets.md"
).split()


@pytest.mark.parametrize(("path", "secret"), [*((path, True) for path in SECRET), *((path, False) for path in SHOWN)])
def test_is_secret(path: str, secret: bool) -> None:
    assert is_secret(path) is secret
