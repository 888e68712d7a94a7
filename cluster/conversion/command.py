"""`yarnbox convert-conf`: a configuration directory of the fair scheduler for the capacity scheduler.

Reads and writes files, and has the CapacityScheduler look at what came of it before anything is written; the
conversion itself is in queues and placement. What has no equivalent is listed on stderr, so that the files
can go through a pipe. Hadoop: `yarn fs2cs`, its options, and ConvertedConfigValidator.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from yarnbox.cluster.checking.check_conf import check
from yarnbox.cluster.checking.fair_file import read_fair_files
from yarnbox.cluster.conversion.outcome import Conversion, ConversionOptions, read_rule_actions
from yarnbox.cluster.conversion.placement import rules_text
from yarnbox.cluster.conversion.queues import convert
from yarnbox.cluster.directory import ClusterError
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.configuration.document import read_file, write
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE

CAPACITY_FILE, SITE_FILE, PLACEMENT_FILE = "capacity-scheduler.xml", "yarn-site.xml", "mapping-rules.json"


def run(options: argparse.Namespace) -> int:
    """The command: the exit status, 1 when what came of it is not to be used."""
    directory = Path(options.directory)
    output = Path(options.output) if options.output else None
    asked = _asked(options, output)
    files = read_fair_files(directory, skip_terminal_check=options.no_terminal_rule_check)
    present = _present(directory)
    conversion = convert(files.allocations, files.rules, files.configuration, present, asked)
    texts = {CAPACITY_FILE: _capacity(conversion, directory), SITE_FILE: _site(conversion, present)}
    if options.rules_to_file and conversion.rules:
        texts[PLACEMENT_FILE] = rules_text(conversion)
    verdict = None if options.skip_verification else _verify(texts, directory)
    if options.dry_run:
        return _print_dry_run(conversion, verdict)
    if conversion.faults or verdict is not None:
        for fault in (*conversion.faults, *([] if verdict is None else [f"Verification failed: {verdict}"])):
            print(f"yarnbox: {fault}", file=sys.stderr)
        return 1
    if output is None:
        for name, text in texts.items():
            print(f"======= {name} =======\n{text}")
    else:
        _write_all(output, directory, texts)
    _tell(conversion)
    return 0


def _asked(options: argparse.Namespace, output: Path | None) -> ConversionOptions:
    aborting: tuple[str, ...] = ()
    most = None
    if options.rules:
        path = Path(options.rules)
        try:
            aborting, most = read_rule_actions(_properties(path))
        except OSError as error:
            raise ClusterError(f"{path} cannot be read: {error.strerror}", status=2) from None
        except ValueError as error:
            raise ClusterError(f"{path}: {error}", status=2) from None
    placement_file = None
    if options.rules_to_file:
        placement_file = str((output or Path.cwd()).absolute() / PLACEMENT_FILE)
    return ConversionOptions(
        percentages=options.percentage,
        converts_placement=not options.skip_placement_rules,
        placement_file=placement_file,
        is_asynchronous=options.enable_async_scheduler,
        has_preemption=options.disable_preemption != "nopolicy",
        only_observes=options.disable_preemption == "observeonly",
        aborting=aborting,
        most_children=most,
    )


def _properties(path: Path) -> dict[str, str]:
    """A file of `name=value` lines, as Java's Properties reads simple ones."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text and text[0] not in "#!":
            name, sign, value = text.partition("=" if "=" in text else ":")
            if not sign:
                raise ValueError(f"{text!r} is not of the form name=value")
            found[name.strip()] = value.strip()
    return found


def _present(directory: Path) -> dict[str, str]:
    """The properties of yarn-site.xml as they are written there."""
    if not (directory / SITE_FILE).exists():
        return {}
    return {entry.name: entry.value or "" for entry in read_file(directory, SITE_FILE).entries}


def _verify(texts: Mapping[str, str], directory: Path) -> str | None:
    """What the CapacityScheduler has against the files; None when it starts with them."""
    with tempfile.TemporaryDirectory(prefix="yarnbox-convert-") as name:
        place = Path(name)
        for file, text in texts.items():
            (place / file).write_text(text, encoding="utf-8")
        for file in ("core-site.xml", RESOURCE_TYPES_FILE):
            if (directory / file).exists():
                shutil.copyfile(directory / file, place / file)
        if PLACEMENT_FILE in texts:
            _point_at(place, texts)
        try:
            check(place)
        except (ConfigurationError, YarnError) as error:
            return str(error)
    return None


def _point_at(place: Path, texts: Mapping[str, str]) -> None:
    """Lets the file under test name the rules beside it instead of those that are yet to be written."""
    entries = {entry.name: entry.value or "" for entry in read_file(place, CAPACITY_FILE).entries}
    entries["yarn.scheduler.capacity.mapping-rule-json-file"] = str(place / PLACEMENT_FILE)
    text = write(((name, value, False) for name, value in entries.items()), "")
    (place / CAPACITY_FILE).write_text(text, encoding="utf-8")


def _write_all(output: Path, directory: Path, texts: Mapping[str, str]) -> None:
    if output.resolve() == directory.resolve():
        raise ClusterError(f"{output} is where the files come from; name another directory")
    for name in texts:
        if (output / name).exists():
            raise ClusterError(f"{output} already contains a file named {name}; name another directory")
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (output / name).write_text(text, encoding="utf-8")
            print(f"yarnbox: wrote {output / name}")
    except OSError as error:
        raise ClusterError(f"{output} cannot be written: {error.strerror}; name another directory") from None


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


def _print_dry_run(conversion: Conversion, verdict: str | None) -> int:
    """The results of a dry run: the exit status of the conversion itself."""
    print("Results of dry run:\n")
    print(f"Number of errors: {len(conversion.faults)}")
    print(f"Number of warnings: {len(conversion.without_equivalent)}")
    print(f"Verification result: {'PASSED' if verdict is None else f'FAILED, {verdict}'}")
    for title, sentences in (("errors", conversion.faults), ("warnings", conversion.without_equivalent)):
        if sentences:
            print(f"\nList of {title}:")
            for sentence in sentences:
                print(sentence)
    return 1 if conversion.faults or verdict is not None else 0
