"""Properties that one file sets more than once."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.configuration.repeated import repeated

FINAL = "<final>true</final>"


def lines_of(path: Path, **files: str) -> list[str]:
    for name, inside in files.items():
        (path / f"{name}.xml").write_text(f"<configuration>\n{inside}\n</configuration>")
    return [str(one).removeprefix(f"{path}/") for one in repeated(Configuration.load(path, _names(files)))]


def _names(files: dict[str, str]) -> list[str]:
    return [f"{name}.xml" for name in files if name != "included"]


def entry(value: str, more: str = "", name: str = "a") -> str:
    return f"<property><name>{name}</name><value>{value}</value>{more}</property>"


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["1", "2"], "a is written on lines 2 and 3: '2' of line 3 counts, the last: write it once"),
        (["1", "1", "1"], "a is written on lines 2, 3 and 4, each time as '1': write it once"),
        (
            [("1", FINAL), "2"],
            "a is written on lines 2 and 3: '1' of line 2 counts, because it is final: write it once",
        ),
        (
            ["1", ("", FINAL), "3"],
            "a is written on lines 2, 3 and 4: '1' of line 2 counts, because line 3 is final: write it once",
        ),
        (
            ["1", ""],
            "a is written on lines 2 and 3: '1' of line 2 counts, the last that has a value: write it once",
        ),
        (["", ""], "a is written on lines 2 and 3, never with a value: it is not set"),
    ],
)
def test_which_value_counts(tmp_path: Path, entries: list[str | tuple[str, str]], said: str) -> None:
    written = [entry(one) if isinstance(one, str) else entry(*one) for one in entries]
    last = len(entries) + 1
    assert lines_of(tmp_path, site="\n".join(written)) == [f"site.xml:{last}: {said}"]


def test_two_on_one_line(tmp_path: Path) -> None:
    (said,) = lines_of(tmp_path, site=entry("1") + entry("2"))
    assert said == "site.xml:2: a is written 2 times on line 2: '2' of line 2 counts, the last: write it once"


def test_an_old_and_a_new_name_are_one_property(tmp_path: Path) -> None:
    old, new = "mapred.reduce.tasks", "mapreduce.job.reduces"
    (said,) = lines_of(tmp_path, site=entry("3", name=old) + "\n" + entry("4", name=new))
    assert said == (
        f"site.xml:3: {new} is written on lines 2 and 3, as {old} and {new}: '4' of line 3 counts, the last: "
        "write it once"
    )


def test_what_another_file_has_the_last_word_on(tmp_path: Path) -> None:
    twice = entry("1") + "\n" + entry("2")
    (said,) = lines_of(tmp_path, core=entry("0", FINAL), site=twice)
    assert said == (
        f"site.xml:3: a is written on lines 2 and 3: none of them counts, but '0' of {tmp_path}/core.xml:2"
    )


def test_one_property_in_two_files_is_no_repetition(tmp_path: Path) -> None:
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="included.xml"/>'
    assert lines_of(tmp_path, included=entry("1"), core=entry("2"), site=include + "\n" + entry("3")) == []
