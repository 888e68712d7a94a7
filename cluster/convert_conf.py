"""`yarnbox convert-conf`: a configuration directory of the fair scheduler for the capacity scheduler.

Reads and writes files; the conversion itself is rm.scheduler.fair.convert. What has no equivalent is listed
on stderr, so that the files can go through a pipe. Answers for `yarn fs2cs`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cluster.directory import ClusterError
from cluster.fair_file import read_fair_files
from rm.scheduler.fair.convert import Conversion, convert
from yarn.configuration.document import read_file, write

CAPACITY_FILE, SITE_FILE = "capacity-scheduler.xml", "yarn-site.xml"


def convert_directory(directory: Path, output: Path | None, *, percentages: bool) -> int:
    """Writes both files into `output`, or to stdout; the exit status."""
    files = read_fair_files(directory)
    present = _present(directory)
    conversion = convert(
        files.allocations, files.rules, files.configuration, present, percentages=percentages
    )
    texts = {CAPACITY_FILE: _capacity(conversion, directory), SITE_FILE: _site(conversion, present)}
    if output is None:
        for name, text in texts.items():
            print(f"======= {name} =======\n{text}")
    else:
        _write_all(output, directory, texts)
    _tell(conversion)
    return 0


def _present(directory: Path) -> dict[str, str]:
    """The properties of yarn-site.xml as they are written there."""
    if not (directory / SITE_FILE).exists():
        return {}
    return {entry.name: entry.value or "" for entry in read_file(directory, SITE_FILE).entries}


def _write_all(output: Path, directory: Path, texts: dict[str, str]) -> None:
    if output.resolve() == directory.resolve():
        raise ClusterError(f"{output} is where the files come from; name another directory")
    output.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (output / name).write_text(text, encoding="utf-8")
        print(f"yarnbox: wrote {output / name}")


def _capacity(conversion: Conversion, directory: Path) -> str:
    comment = f"Converted from the fair scheduler's files in {directory.name}."
    return write(((name, value, False) for name, value in conversion.capacity.items()), comment)


def _site(conversion: Conversion, present: dict[str, str]) -> str:
    kept = {name: value for name, value in present.items() if name not in conversion.site_removed}
    merged = {**kept, **conversion.site}
    return write(
        ((name, value, False) for name, value in merged.items()), "Converted for the capacity scheduler."
    )


def _tell(conversion: Conversion) -> None:
    if not conversion.without_equivalent:
        print("yarnbox: everything has an equivalent", file=sys.stderr)
        return
    print("yarnbox: without an equivalent:", file=sys.stderr)
    for sentence in conversion.without_equivalent:
        print(f"  - {sentence}", file=sys.stderr)
