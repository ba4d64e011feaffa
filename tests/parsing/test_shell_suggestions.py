"""Shell commands that a response suggests: docs/reference/rules.md, "shell suggestions". None is ever run."""

import pytest
from support.responses import block

from editblocks import apply_response, parse_response

X = block("x\n", "y\n")
ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "nothing": ("Just words.\n", ()),
    "inline commands": (
        "Run `git rm old.py`, `git mv a b`, `mkdir -p c` and `rm -rf d`.\n",
        ("git rm old.py", "git mv a b", "mkdir -p c", "rm -rf d"),
    ),
    "other inline code": ("See `git status` and `rm x` and `git rm`.\n", ()),
    "the same twice": ("`git rm a`\n`git rm a`\n", ("git rm a",)),
    "inline code in a fence": ("```text\n`git rm a`\n```\n", ()),
    "inline code in a quote": ("> `git rm a`\n", ()),
    "inline code in a list": ("- `git rm a`\n", ("git rm a",)),
    "inline code in a block": (block("`git rm a`\n", "`git rm b`\n"), ()),
    "inline code in a comment": ("<!--\n`git rm a`\n-->\n", ("git rm a",)),
    "a tool call": ("<execute_command>\n<command>npm test</command>\n</execute_command>\n", ("npm test",)),
    "a tool call without a command": ("<execute_command>\n<command></command>\n</execute_command>\n", ()),
    **{
        f"the command of an editor, {word}": (
            f"<editor>\n<command>{word}</command>\n<path>a.py</path>\n</editor>\n",
            (),
        )
        for word in ("str_replace", "create", "insert", "undo_edit", "view")
    },
    "inline code in a thought": ("<think>\n`git rm a`\n</think>\n", ()),
    "inline code in a broken block": ("a.py\n<<<<<<< SEARCH\n`git rm a`\n<<<<<<< EDIT\n`git rm b`\n", ()),
    "a fence": ("```bash\npip install x\nmake\n```\n", ("pip install x", "make")),
    "every shell": (
        "".join(f"```{name}\n{name} x\n```\n" for name in ("bash", "sh", "shell", "zsh", "console", "Bash")),
        ("bash x", "sh x", "shell x", "zsh x", "console x", "Bash x"),
    ),
    "a fence of another language": ("```python\nimport os\n```\n", ()),
    "a fence without a language": ("```\nmake\n```\n", ()),
    "words behind the language": ("```sh title=x\nmake\n```\n", ("make",)),
    "a tilde fence": ("~~~sh\nmake\n~~~\n", ("make",)),
    "a tag": ("<source>sh\nmake\n</source>\n", ("make",)),
    "a fence that never ends": ("```sh\nmake\n", ("make",)),
    "prompts": ("```console\n$ ls\na.py\n$ make \\\n    all\ndone\n```\n", ("ls", "make all")),
    "continued lines": ("```sh\ndocker run \\\n  --rm \\\n  x\n```\n", ("docker run --rm x",)),
    "a line that is continued by nothing": ("```sh\nmake \\\n```\n", ("make",)),
    "comments and blank lines": ("```sh\n# first\n\nmake\n```\n", ("make",)),
    "a fence with a block is an edit": (f"```sh\n{X}```\n", ()),
    "a fence around a fence with a block": (f"````sh\n```\n{X}```\n````\n", ()),
    "a fence in a broken block": ("a.py\n<<<<<<< SEARCH\n```sh\nmake\n```\n", ()),
    "a fence behind an opener in a broken block": ("a.py\n<<<<<<< SEARCH\n<<<<<<< EDIT\n```sh\nmake\n```\n", ()),
    "in the order of the text": ("```sh\na\n```\n`git rm b`\n```sh\nc\n```\n", ("a", "git rm b", "c")),
    "an action": ('<boltAction type="shell">\nnpm i\nnpm run x\n</boltAction>\n', ("npm i", "npm run x")),
    "an action on one line": ('<boltAction type="start">npm run dev</boltAction>\n', ("npm run dev",)),
    "an action that begins on its line": ('<boltAction type="shell">npm i\nmake\n</boltAction>\n', ("npm i", "make")),
    "an empty action": ('<boltAction type="shell"></boltAction>\n', ()),
    "an action that never ends": ('<boltAction type="shell">\nnpm i\n', ("npm i",)),
    "an action that the next one ends": (
        '<boltAction type="shell">\nnpm i\n<boltAction type="start">npm run dev</boltAction>\n',
        ("npm i", "npm run dev"),
    ),
    "an action that the artifact's end ends": (
        '<boltArtifact id="a">\n<boltAction type="shell">\nnpm i\n</boltArtifact>\nwords\n',
        ("npm i",),
    ),
    "an action with a hunk of no file": (
        '<boltAction type="shell">\npatch <<EOF\n@@ -1 +1 @@\nEOF\n</boltAction>\n',
        ("patch <<EOF ... EOF",),
    ),
    "an action with a block": (f'<boltAction type="shell">\n{X}</boltAction>\n', ()),
    "a here-document is one": (
        "```bash\nmkdir -p a\ncat > a/b.py <<'EOF'\nimport os\nrm -rf x\nEOF\nmake\n```\n",
        ("mkdir -p a", "cat > a/b.py <<'EOF' ... EOF", "make"),
    ),
    "here-documents of each form": (
        '```sh\ncat <<END > a\nx\nEND\ncat <<"A B"\ncat <<-"EOF"\n\tx\n\tEOF\ncat << \\EOF\nx\nEOF\n```\n',
        ("cat <<END > a ... END", 'cat <<"A B"', 'cat <<-"EOF" ... EOF', "cat << \\EOF ... EOF"),
    ),
    "a here-document that ends nowhere": (
        "```sh\necho $((1 <<n))\ncat <<EOF\nmake\n```\n",
        ("echo $((1 <<n))", "cat <<EOF", "make"),
    ),
    "no here-document": ("```sh\ncat <<<EOF\nEOF\nx=$((1<<2))\n```\n", ("cat <<<EOF", "EOF", "x=$((1<<2))")),
    "a word that stands above its here-document": ("```sh\nEOF\ncat <<EOF\n```\n", ("EOF", "cat <<EOF")),
    "characters that nobody sees": ("```sh\necho \x1b[1m\u202e\n```\n", ("echo U+001B[1mU+202E",)),
}


@pytest.mark.parametrize(("text", "commands"), ROWS.values(), ids=ROWS)
def test_suggestions(text: str, commands: tuple[str, ...]) -> None:
    assert parse_response(text).shell_suggestions == commands


def test_twenty_at_most_and_two_hundred_characters_of_each() -> None:
    text = "```sh\n" + "".join(f"echo {number} {'x' * 300}\n" for number in range(30)) + "```\n"
    commands = parse_response(text).shell_suggestions
    assert (len(commands), {len(command) for command in commands}) == (20, {200})
    assert commands[19].startswith("echo 19 ")


def test_the_first_ones_of_many_are_kept_wherever_they_stand() -> None:
    """A fence is heard of when it ends, and what stands below may have been heard of before."""
    inline = "".join(f"`rm -rf {number}`\n" for number in range(99))
    text = f"```md\n```sh\nfirst\n{inline}```\n`rm -rf last`\n"
    assert parse_response(inline * 2).shell_suggestions == tuple(f"rm -rf {number}" for number in range(20))
    assert len(parse_response(text).shell_suggestions) == 20
    assert parse_response(f'<boltAction type="shell">\nfirst\n</boltAction>\n{inline}').shell_suggestions[:2] == (
        "first",
        "rm -rf 0",
    )


def test_a_suggestion_is_no_row_and_reaches_the_result() -> None:
    result = apply_response("`git rm a.py`\n", {"a.py": b"x\n"}.get)
    assert (result.rows, result.contents, result.shell_suggestions) == ((), {}, ("git rm a.py",))
