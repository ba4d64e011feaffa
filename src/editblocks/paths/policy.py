"""What a file would do where it is: some decide what runs, or what reviewers get to see (step 10)."""

from __future__ import annotations

import re

from editblocks.paths.characters import opened_name, shown, strong_key
from editblocks.paths.syntax import PathError

_RESPONSE_FOLDER = ".edits"

# All names are strong keys. Whoever writes these files decides what runs, or what reviewers get to see.
_ROOT_DIRECTORIES = frozenset(
    ".github .husky .githooks .circleci .buildkite .claude .cursor .vscode .idea .devcontainer".split()
)
_ROOT_FILES = frozenset(
    """
    .gitconfig .lfsconfig .mailmap .git-blame-ignore-revs .pre-commit-config.yaml .pre-commit-hooks.yaml
    .gitlab-ci.yml .travis.yml jenkinsfile azure-pipelines.yml .mcp.json .editblocks.yml
    codeowners docs/codeowners
    """.split()
)
_FILES_ANYWHERE = frozenset(
    """
    .gitattributes .gitmodules action.yml action.yaml claude.md agents.md gemini.md .envrc .npmrc .yarnrc.yml
    """.split()
)
_REVIEWED = re.compile(
    r"""
      setup\.py | conftest\.py | dockerfile.* | makefile.* | .*\.sh | .*\.ps1 | requirements.*\.txt
    # manifests
    | package\.json | pnpm-workspace\.yaml | deno\.jsonc? | bower\.json                        # JavaScript
    | pyproject\.toml | setup\.cfg | pipfile | environment\.ya?ml | constraints.*\.txt         # Python
    | cargo\.toml | go\.(?:mod|work) | gemfile | .*\.gemspec | composer\.json                  # Rust, Go, Ruby, PHP
    | pom\.xml | (?:build|settings)\.gradle(?:\.kts)? | libs\.versions\.toml | build\.sbt      # Java, Scala
    | .*\.(?:cs|fs|vb)proj | directory\.(?:packages|build)\.props | packages\.config           # .NET
    | mix\.exs | rebar\.config | pubspec\.yaml | package\.swift | podfile | cartfile           # Elixir, Dart, Swift
    | .*\.cabal | stack\.yaml | project\.toml | vcpkg\.json | conanfile\.(?:py|txt)            # Haskell, Julia, C++
    | flake\.nix | module\.bazel | workspace(?:\.bazel)? | shard\.yml | .*\.opam | cpanfile
    # locks
    | .*\.(?:lock|lockb|lockfile|resolved) | .*-lock\.(?:json|ya?ml) | (?:.*\.)?packages\.lock\.json
    | npm-shrinkwrap\.json | go(?:\.work)?\.sum | manifest\.toml
    """,
    re.VERBOSE,
)


def is_protected(path: str) -> bool:
    """Whether `path` is tier 0: refused, because it decides what runs or what reviewers see."""
    names = [opened_name(name) for name in strong_key(path).split("/")]
    return names[0] in _ROOT_DIRECTORIES or names[-1] in _FILES_ANYWHERE or "/".join(names) in _ROOT_FILES


def is_response_file(path: str) -> bool:
    """Whether responses are read from files like `path`: a response must not write the next one."""
    names = [opened_name(name) for name in strong_key(path).split("/")]
    return len(names) > 1 and names[0] == _RESPONSE_FOLDER


def check_policy(path: str) -> PathError | None:
    """`E_PROTECTED` for a tier 0 path, and for a response file (step 10)."""
    if is_response_file(path):
        message = f"{shown(path)} is where responses are read from, and none may write the next; change it by hand"
        return PathError("E_PROTECTED", message)
    if not is_protected(path):
        return None
    what = "can run code or change what reviewers see, and is protected"
    return PathError("E_PROTECTED", f"{shown(path)} {what}; change it by hand")


def needs_review(path: str) -> bool:
    """Whether `path` is tier 1: applied, but marked, as it says what is installed, built or run."""
    return _REVIEWED.fullmatch(strong_key(path).rpartition("/")[2]) is not None
