"""What a launch context is to say literally reaches the process byte for byte, through the NodeManager."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.nm.test_executor import Machine, live
from yarnbox.am.launch import command_line, exact_environment, python_command, redirections
from yarnbox.nm.executor.script import ScriptInput, launch_script

DUMP = "import os, sys; sys.stdout.buffer.write(b'\\0'.join([*map(os.fsencode, sys.argv[1:]), b'', %s]))"
ARGUMENTS_ONLY = DUMP % "b''"
WITH_ENVIRONMENT = DUMP % (
    "*(n + b'=' + v for n, v in sorted(os.environb.items()) if n.startswith(b'V_')), b''"
)
TRICKY = ("", " ", "'", '"', "$", "`", "\\", "\n", "\t", "!", "*", "{", "}", "{{", "}}", "<LOG_DIR>", "<CPS>")
WORDS = (
    "$HOME",
    "${HOME}",
    "$(id)",
    "`id`",
    "{{HOME}}",
    "<ADD_OPENS>",
    "~",
    "ä",
    "日本",
    "\\n",
    "#",
    ";",
    "&",
)
LOCALES = ("C", "C.UTF-8")

pieces = st.one_of(
    st.sampled_from((*TRICKY, *WORDS)),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
    st.binary(max_size=6).map(lambda data: os.fsdecode(data.replace(b"\0", b""))),
)
texts = st.lists(pieces, max_size=5).map("".join)
names = st.text("ABCxyz_019", min_size=1, max_size=6).map(lambda text: f"V_{text}")


def seen_by_process(
    words: Sequence[str], environment: Mapping[str, str], locale: str = "C"
) -> tuple[list[bytes], list[bytes]]:
    """The arguments and the variables V_... that a container's process finds."""
    with tempfile.TemporaryDirectory(prefix="a b ") as directory:
        line = command_line([sys.executable, "-I", "-S", "-c", WITH_ENVIRONMENT, *words]) + redirections()
        script = launch_script(
            ScriptInput(
                environment=exact_environment(environment),
                inherited={"PATH": os.environ["PATH"], "LANG": locale},
                fixed={"HOME": "/somewhere", "A": "B"},
                command=(line,),
                log_directory=directory,
                has_debug_information=False,
            )
        )
        script.encode()  # a string of protobuf is UTF-8
        path = Path(directory, "launch_container.sh")
        path.write_text(script, encoding="utf-8")
        ended = subprocess.run(["/bin/bash", path], env={"PATH": os.environ["PATH"]}, check=False)
        wrong = [file.read_text() for file in Path(directory).glob("*err*")]
        assert ended.returncode == 0, (wrong, script)
        return _parts(Path(directory, "stdout").read_bytes(), len(words))


def _parts(written: bytes, count: int) -> tuple[list[bytes], list[bytes]]:
    parts = written.split(b"\0")
    return parts[:count], [part for part in parts[count + 1 :] if part]


@given(words=st.lists(texts, max_size=5), environment=st.dictionaries(names, texts, max_size=4))
@example(words=[*TRICKY, *WORDS, "".join(TRICKY)], environment={"V_A": "$V_B", "V_B": "".join(TRICKY)})
@example(words=["for i in 1 2; do echo [$i]; done", "\udcff'\udcc3$x"], environment={"V_A": "\udcff\n\n{{\n"})
@settings(max_examples=80, deadline=None)
def test_any_arguments_and_any_environment_arrive_as_they_were_given(
    words: list[str], environment: dict[str, str]
) -> None:
    wanted = sorted(os.fsencode(f"{name}={value}") for name, value in environment.items())
    for locale in LOCALES:
        arguments, variables = seen_by_process(words, environment, locale)
        assert arguments == [os.fsencode(word) for word in words]
        assert sorted(variables) == wanted


@pytest.mark.parametrize("program", ["if", "A=b", "-x", "two words", "échó", "{{HOME}}", "echo"])
def test_a_program_may_have_any_name(tmp_path: Path, program: str) -> None:
    (tmp_path / program).write_text('#!/bin/sh\nprintf "%s" "mine:$1"\n')
    (tmp_path / program).chmod(0o700)
    script = launch_script(
        ScriptInput(
            environment={},
            inherited={},
            fixed={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            command=(command_line([program, "$HOME"]) + redirections(),),
            log_directory=str(tmp_path),
            has_debug_information=False,
        )
    )
    subprocess.run(["/bin/bash", "-c", script], check=True)
    assert (tmp_path / "stdout").read_text() == "mine:$HOME"


@pytest.mark.parametrize("name", ["", "1X", "A-B", "A B", "Ä", "A=B"])
def test_a_variable_whose_name_no_shell_takes_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of an environment variable"):
        exact_environment({name: "x"})


def test_python_modules_get_their_arguments_as_given(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(ARGUMENTS_ONLY)
    words = ["a b", "$HOME", '"', "{{X}}", ""]

    async def test(machine: Machine) -> None:
        line = python_command("shown", words)
        given_environment = exact_environment({"PYTHONPATH": str(tmp_path)})
        code, said = await machine.run(line, environment=given_environment)
        assert code == 0, said
        arguments, _ = _parts((machine.logs / "stdout").read_bytes(), len(words))
        assert arguments == [word.encode() for word in words]

    live(test, tmp_path)


def test_a_string_keeps_the_meaning_that_hadoop_gives_it(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        line = "echo {{NM_HOST}} $NM_PORT <LOG_DIR> 1><LOG_DIR>/stdout"
        await machine.run(line)
        assert (machine.logs / "stdout").read_text() == f"nm1 4321 {machine.logs}\n"

    live(test, tmp_path)
