"""`yarnbox completion`: what a shell offers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from yarnbox.cluster.main import main


@pytest.mark.parametrize(
    "words, wanted",
    [
        (["yarnbox", ""], {"up", "kill-node", "job"}),
        (["yarnbox", "kill"], {"kill-node"}),
        (["yarnbox", "up", "--sch"], {"--scheduler"}),
        (["yarnbox", "job", "sh"], {"shell"}),
        (["yarnbox", "walk", "--sch"], {"--scheduler"}),
        (["yarnbox", "kill-node", "nm1", "--signal", "S"], {"STOP"}),
    ],
)
def test_a_shell_completes_commands_and_options(
    words: list[str], wanted: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    asking = f"""source {script}
COMP_WORDS=({" ".join(word or "''" for word in words)}); COMP_CWORD={len(words) - 1}
$(complete -p yarnbox | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    found = subprocess.run(["bash", "-c", asking], capture_output=True, text=True, check=True).stdout
    assert wanted <= set(found.split())
