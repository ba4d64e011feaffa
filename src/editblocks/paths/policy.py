"""Refuse paths, or mark them for review, if a file there decides what runs or what reviewers see (step 10).

The module also knows which files hold secrets, by their names: no text of those is shown.

In a glob, `*` matches any characters of a name, `?` one character, `**` any number of folders; other characters match
themselves. A glob is matched against the whole path, case-sensitively and without normalisation, as git stores it. A
glob of `deny-paths` ignores case and Unicode composition, as file systems do.
Only the last star is ever tried again, which is enough. So the time is at most the glob's length times the path's.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from editblocks.core.characters import fold_key, opened_name, show_text, strong_key
from editblocks.core.settings import Settings
from editblocks.paths.syntax import PathError
from editblocks.paths.tree import DIRECTORY, Entries

_RESPONSE_FOLDER = ".edits"
_GLOBS_SHOWN = 3
_WORKFLOWS = (".github", "workflows")
_DEFAULTS = Settings()

# All names are strong keys. These files decide what runs or what reviewers see.
_ROOT_DIRECTORIES = frozenset(
    ".github .gitea .forgejo .husky .githooks .circleci .buildkite .vscode .idea .devcontainer".split()
)
# Agents read their rules and tools from these, in every folder on the way to a file.
_AGENT_DIRECTORIES = frozenset(".claude .cursor .roo .windsurf .codex .gemini .clinerules .roorules".split())
_AGENT_RULES = (".clinerules", ".roorules")  # `.clinerules-code` as well
_ROOT_FILES = frozenset(
    """
    .gitconfig .lfsconfig .mailmap .git-blame-ignore-revs .pre-commit-config.yaml .pre-commit-hooks.yaml
    .gitlab-ci.yml .travis.yml jenkinsfile azure-pipelines.yml .editblocks.yml
    lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json
    codeowners docs/codeowners
    """.split()
)
_FILES_ANYWHERE = frozenset(
    """
    .gitattributes .gitmodules action.yml action.yaml .envrc .npmrc .yarnrc.yml
    claude.md claude.local.md agents.md gemini.md .cursorrules .windsurfrules .mcp.json
    """.split()
)
_REVIEWED = (  # compiled when it is first needed
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
    """
)

_CARGO = ((".cargo", "config.toml"), (".cargo", "config"))
_PROTECTED = "can run code or change what reviewers see, and is protected"
_BY_HAND = "change it by hand"
_BY_OWNER = (
    "an owner may allow it by allow-protected on the default and the base branch, "
    "or --allow-protected on the command line"
)

# The names of files that hold secrets.
_SECRET_NAMES = frozenset(".netrc _netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials credentials".split())
_SECRET_STARTS = (".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_SECRET_ENDS = (
    *(".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx"),
    *(".tfvars", ".tfstate", ".tfstate.backup"),
)
_STEMS = frozenset("credential credentials secret secrets".split())
_DATA = frozenset("yml yaml json toml ini cfg conf properties xml csv txt".split())  # endings after a stem
_JSON_STARTS = ("client_secret", "service-account")
_SECRETS_IN_FOLDERS = frozenset((".aws/config", ".docker/config.json", ".kube/config"))
_NO_SECRETS = frozenset((".env.example", ".env.sample", ".env.template", ".env.dist"))
_COPIES = ("~", ".bak", ".old", ".orig")


def is_protected(path: str) -> bool:
    """Whether `path` is tier 0: refused, because it decides what runs or what reviewers see."""
    return _is_protected(_names_as_opened(path))


def _is_protected(names: tuple[str, ...]) -> bool:
    if names[0] in _ROOT_DIRECTORIES or names[-1] in _FILES_ANYWHERE or "/".join(names) in _ROOT_FILES:
        return True
    if not _AGENT_DIRECTORIES.isdisjoint(names[:-1]) or names[-1].startswith(_AGENT_RULES):
        return True
    return names[-2:] in _CARGO


def is_in_protected_place(path: str) -> bool:
    """Whether `path`, or a path below it, is protected. If `path` is a link, tools read its target in that place."""
    names = _names_as_opened(path)
    return _is_protected(names) or not _AGENT_DIRECTORIES.isdisjoint(names)


def is_workflow(path: str) -> bool:
    """Whether `path` is a workflow: no policy can allow it, as a job's token may not write there."""
    return _names_as_opened(path)[:2] == _WORKFLOWS


def is_response_file(path: str, patterns: Sequence[str] = ()) -> bool:
    """Whether responses may be read from a file like `path`: a response must not write the next one."""
    names = _names_as_opened(path)
    if len(names) > 1 and names[0] == _RESPONSE_FOLDER:
        return True
    return any(matches("/".join(_names_as_opened(pattern)), "/".join(names)) for pattern in patterns)


def is_read_as_response(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern of the setting `response-files` matches `path`; its star stands for at least one character.

    `is_response_file` refuses even more paths to blocks: every spelling that some system takes for such a path.
    """
    return any(matches(pattern, path) and len(path) >= len(pattern) for pattern in patterns)


def folders_of(patterns: Sequence[str]) -> list[str]:
    """Return the folders that hold response files, each once. A pattern is a folder and a glob for names in it."""
    return list(dict.fromkeys(pattern.rpartition("/")[0] for pattern in patterns))


def response_paths(entries: Entries, patterns: Sequence[str]) -> list[str]:
    """The response files in the folders that `entries` lists, in order of name."""
    modes = {f"{folder}/{name}": mode for folder in folders_of(patterns) for name, mode in entries(folder).items()}
    return sorted(path for path in modes if modes[path] != DIRECTORY and is_read_as_response(path, patterns))


def check_policy(path: str, settings: Settings = _DEFAULTS) -> PathError | None:
    """Check step 10: `E_PROTECTED` for a tier 0 path or a response file, `E_DENIED` if a setting rules the path out."""
    if is_response_file(path, settings.response_files):
        what = f"{show_text(path)} is the path of a response file, and blocks may not write response files"
        return PathError("E_PROTECTED", what, _BY_HAND)
    if is_protected(path) and (path not in settings.allow_protected or is_workflow(path)):
        advice = _BY_HAND if is_workflow(path) else _BY_OWNER
        return PathError("E_PROTECTED", f"{show_text(path)} {_PROTECTED}", advice)
    return _ruled_out(path, settings)


def _ruled_out(path: str, settings: Settings) -> PathError | None:
    """Return why `deny-paths` or `paths` rule out `path`, or None. `deny-paths` wins over every `paths`."""
    for glob in settings.deny_paths:
        if _denies(glob, path):
            return PathError("E_DENIED", f"{show_text(path)} is denied by `{show_text(glob)}` (deny-paths)", _BY_HAND)
        if folder := _denied_folder(glob, path):
            where = f"{show_text(path)} is in the folder {show_text(folder)}"
            what = f"{where}, and `{show_text(glob)}` denies it (deny-paths)"
            return PathError("E_DENIED", what, _BY_HAND)
    for globs in (settings.paths, settings.input_paths):
        if not any(matches(glob, path) for glob in globs):
            allowed = ", ".join(f"`{show_text(glob)}`" for glob in globs[:_GLOBS_SHOWN])
            more = " and others" if len(globs) > _GLOBS_SHOWN else ""
            what = f"{show_text(path)} is not in {allowed}{more} (paths), where blocks may change files"
            return PathError("E_DENIED", what, _BY_HAND)
    return None


def _denies(glob: str, path: str) -> bool:
    """Whether a glob of `deny-paths` matches `path`. Case and composition are ignored, as by file systems."""
    return matches(fold_key(glob), fold_key(path))


def _denied_folder(glob: str, path: str) -> str:
    """Return the folder around `path` that a glob matches, or "". To deny a folder is to deny everything in it."""
    *folders, _ = path.split("/")
    above = ("/".join(folders[:depth]) for depth in range(1, len(folders) + 1))
    return next((folder for folder in above if _denies(glob, folder)), "")


@lru_cache(maxsize=256)  # each path is compared with several lists, and the patterns of settings are always the same
def _names_as_opened(path: str) -> tuple[str, ...]:
    """Return the parts of a path in the form in which any system may open them."""
    return tuple(opened_name(name) for name in strong_key(path).split("/"))


def needs_review(path: str) -> bool:
    """Whether `path` is tier 1: applied but marked for review, as it decides what is installed, built or run."""
    return re.fullmatch(_REVIEWED, strong_key(path).rpartition("/")[2], re.VERBOSE) is not None


def is_secret(path: str) -> bool:
    """Whether the name of a file suggests that it holds secrets; `.env.example` and the like do not.

    A copy, such as `.env.bak`, is judged by the name of its original.
    """
    folder, _, name = strong_key(path).rpartition("/")
    name = _original(opened_name(name))
    if name in _NO_SECRETS or (name.startswith("id_") and name.endswith(".pub")):
        return False
    folders = folder.split("/")
    return _is_secret_name(name) or ".ssh" in folders or f"{folders[-1]}/{name}" in _SECRETS_IN_FOLDERS


def _original(name: str) -> str:
    """Return the name without the endings that programs add to copies."""
    while name.endswith(_COPIES):
        name = name[:-1] if name.endswith("~") else name.rpartition(".")[0]
    return name


def _is_secret_name(name: str) -> bool:
    if name in _SECRET_NAMES or name.startswith(_SECRET_STARTS) or name.endswith(_SECRET_ENDS):
        return True
    stem, _, kind = name.partition(".")
    return (stem in _STEMS and kind in _DATA) or (name.startswith(_JSON_STARTS) and name.endswith(".json"))


def matches(glob: str, path: str, letters: Callable[[str], Sequence[str]] = list) -> bool:
    """Whether `glob` matches `path`. `src/**` matches everything below `src`, but not a file of that name.

    `letters` splits a name of the glob into stars and, for each other position, the letters that are allowed there.
    """
    names = glob.split("/")
    if len(names) > 1 and names[-1] == "**":
        names.append("*")
    return _fits(names, path.split("/"), "**", lambda name, here: _fits(letters(name), here, "*", _is_letter))


def _is_letter(wanted: str, letter: str) -> bool:
    return wanted == "?" or letter in wanted


def _fits(wanted: Sequence[str], items: Sequence[str], star: str, one: Callable[[str, str], bool]) -> bool:
    """Whether `wanted` matches all of `items`. `one` compares a pair; `star` matches any number of items."""
    at = item = 0
    retry: tuple[int, int] | None = None  # the index after the last star, and the next item that the star may take
    while item < len(items):
        if at < len(wanted) and wanted[at] == star:
            at += 1
            retry = at, item
        elif at < len(wanted) and one(wanted[at], items[item]):
            at += 1
            item += 1
        elif retry is not None:
            at, item = retry
            item += 1
            retry = at, item
        else:
            return False
    return all(left == star for left in wanted[at:])
