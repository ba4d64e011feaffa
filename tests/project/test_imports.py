"""What `import editblocks` loads, and what `src/` must not hold: docs/internals/security.md, "git"."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import editblocks

HOOKS = Path(__file__).parents[2] / "hooks"
SOURCES = sorted(Path(editblocks.__file__).parent.rglob("*.py"))
VENDORS = {"git", "github", "mcp", "mcp_types", "requests", "yaml", "jinja2"}
DEAR = {"subprocess", "socket", "urllib", "urllib.request", "dataclasses", "re", "inspect", "argparse", "logging"}


def loaded_by(code: str) -> set[str]:
    """The modules that `code` loads in a fresh interpreter which sees neither the environment nor user packages."""
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nprint('\\n'.join(sorted(set(sys.modules) - before)))"
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return set(ran.stdout.split())


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_the_package_itself_loads_next_to_nothing() -> None:
    modules = loaded_by("import editblocks")
    assert tops(modules) <= {"editblocks", *sys.stdlib_module_names}
    assert {name for name in modules if name.startswith("editblocks")} == {"editblocks"}
    assert not modules & (VENDORS | DEAR)


@pytest.mark.parametrize(
    "code",
    [
        "from editblocks import apply_response",
        "from editblocks import *",
        "import editblocks.run",
        "from editblocks import apply_response; apply_response('', {}.get)",
    ],
)
@pytest.mark.long(after=2)
def test_the_core_loads_the_standard_library_alone(code: str) -> None:
    modules = loaded_by(code)
    assert tops(modules) <= {"editblocks", *sys.stdlib_module_names}
    assert not modules & {"subprocess", "socket", "urllib.request", "argparse", "logging", "asyncio"}


def test_a_check_loads_nothing_that_only_writing_and_reports_need(tmp_path: Path) -> None:
    """Loading is most of what a person waits for (docs/internals/performance.md, "start")."""
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    answer = tmp_path / "answer.md"
    answer.write_text("a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n", "utf-8")
    words = ["check", str(answer), "--root", str(tmp_path)]
    modules = loaded_by(f"from editblocks.faces.cli.main import main; print(main({words}))")
    assert {"1", "ready"} <= modules  # the words of its result
    assert not modules & {"tempfile", "shutil", "random", "json", "difflib", "hashlib", "zlib", "editblocks.repos.undo"}


def test_the_version_is_printed_without_what_reads_answers() -> None:
    modules = loaded_by("from editblocks.faces.cli.main import main; main(['--version'])")
    ours = {name for name in modules if name.startswith("editblocks.")}
    assert "editblocks.faces.terminal" in ours
    assert not ours & {"editblocks.core.blocks", "editblocks.core.outcome", "editblocks.report.view"}


@pytest.mark.long
def test_the_action_loads_no_vendor_that_it_may_not_need() -> None:
    """Nor does it need what PyGithub names but requirements-action.txt leaves out."""
    code = "import sys; sys.modules['cryptography'] = sys.modules['pycparser'] = None; "
    modules = loaded_by(code + "import editblocks.faces.action")
    assert tops(modules) & VENDORS == {"github", "requests"}


@pytest.mark.long
def test_the_run_step_loads_what_it_uses_of_pygithub() -> None:
    """As `hooks/run.py` starts it: what waits has the type of a module that was not run."""
    start = (
        f"import sys; sys.path.append({str(HOOKS)!r}); import run; sys.meta_path.insert(0, run.LoadLater()); "
        "import editblocks.faces.action; from types import ModuleType; "
        "print(*(name for name, module in sys.modules.items() if type(module) is ModuleType))"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", start], capture_output=True, text=True, timeout=60, check=True)
    modules = {
        name for name in ran.stdout.split() if name.startswith(("github", "jwt", "nacl", "cryptography", "cffi"))
    }
    assert {"github.Repository", "github.Requester"} <= modules
    assert tops(modules) == {"github"}
    assert len(modules) < 70


def test_every_public_name_is_there() -> None:
    assert len(editblocks.__all__) == len(set(editblocks.__all__)) > 0
    assert list(editblocks.__all__) == sorted(editblocks.__all__)
    for name in editblocks.__all__:
        assert getattr(editblocks, name).__name__ == name


def test_the_public_names_are_listed() -> None:
    assert dir(editblocks) == sorted([*editblocks.__all__, "__version__"])


def test_a_name_that_is_not_public_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'editblocks' has no attribute 'apply_everything'"):
        _ = getattr(editblocks, "apply_" + "everything")


def test_the_version_is_that_of_the_distribution() -> None:
    from importlib.metadata import version

    assert editblocks.__version__ == version("editblocks")


FORBIDDEN_NAMES = {"eval", "exec", "IndexFile"}
FORBIDDEN_ATTRIBUTES = {"IndexFile", "clone_from", "config_writer", "submodules", "popen"}
FORBIDDEN_CALLS = {("os", "system"), ("yaml", "load"), ("yaml", "safe_load"), ("yaml", "dump")}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve"}


def offences(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
            yield node.id
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in FORBIDDEN_ATTRIBUTES or (owner, node.attr) in FORBIDDEN_CALLS:
                yield f"{owner}.{node.attr}"
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] in FORBIDDEN_MODULES)
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").partition(".")[0] in FORBIDDEN_MODULES:
                yield node.module or ""
            yield from (
                f"{node.module}.{name.name}"
                for name in node.names
                if name.name in FORBIDDEN_NAMES or (node.module, name.name) in FORBIDDEN_CALLS
            )
        elif isinstance(node, ast.keyword) and node.arg == "shell" and ast.unparse(node.value) != "False":
            yield "shell="


@pytest.mark.long
def test_no_source_holds_what_could_run_foreign_text() -> None:
    found = {str(path.relative_to(SOURCES[0].parent)): list(offences(path.read_text("utf-8"))) for path in SOURCES}
    assert {name: names for name, names in found.items() if names} == {}
    assert found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("subprocess.run(x, shell=True)", ["shell="]),
        ("subprocess.run(x, shell=flag)", ["shell="]),
        ("subprocess.run(x, shell=False)", []),
        ("os.system(x)", ["os.system"]),
        ("from os import system", ["os.system"]),
        ("eval(x)", ["eval"]),
        ("import pickle", ["pickle"]),
        ("from pickle import loads", ["pickle"]),
        ("repo.config_writer()", ["repo.config_writer"]),
        ("git.IndexFile(repo)", ["git.IndexFile"]),
        ("from git import IndexFile", ["git.IndexFile"]),
        ("git.Repo().clone_from(x)", [".clone_from"]),
        ("repo.submodules", ["repo.submodules"]),
        ("yaml.load(x)", ["yaml.load"]),
        ("yaml.parse(x)", []),
        ("json.load(x)", []),
        ("# eval(x)", []),
    ],
)
def test_the_search_itself_finds_what_it_looks_for(source: str, found: list[str]) -> None:
    assert list(offences(source)) == found


# What reads a text back, on a name that holds a sentence of ours. argparse's own message is none.
READERS = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split", "find"}
READERS |= {"match", "search", "fullmatch", "sub", "findall", "replace"}
SENTENCES = {"reason", "message", "sentence", "advice", "what"}


def reads_a_sentence(node: ast.AST) -> bool:
    """Whether a sentence of ours is taken apart, looked through, or compared."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
        return any(holds_a_sentence(part) for part in (node.func.value, *node.args))
    if isinstance(node, ast.Compare):
        is_none = any(isinstance(part, ast.Constant) and part.value is None for part in node.comparators)
        return not is_none and any(holds_a_sentence(part) for part in (node.left, *node.comparators))
    return False


def holds_a_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SOURCES[0].parent)))
def test_no_sentence_is_read_back(path: Path) -> None:
    """docs/internals/design.md, "facts before sentences"."""
    found = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if reads_a_sentence(node)]
    assert [ast.unparse(node) for node in found] == []
