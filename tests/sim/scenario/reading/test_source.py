"""The tree under a scenario: what YAML 1.2 means, the lines, and the limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.sim.scenario.reading.source import (
    DEEPEST,
    LARGEST_FILE_BYTES,
    Entries,
    Items,
    Scalar,
    SourceError,
    read_tree,
    tree_of,
)

MEANINGS = [
    ("on", "on"),
    ("off", "off"),
    ("yes", "yes"),
    ("no", "no"),
    ("true", True),
    ("False", False),
    ("~", None),
    ("null", None),
    ("", None),
    ("12", 12),
    ("-3", -3),
    ("0o17", 15),
    ("0x1f", 31),
    ("010", 10),
    ("1.50", 1.5),
    (".75", 0.75),
    ("1e3", 1000.0),
    ("1:30", "1:30"),
    ("1_000", "1_000"),
    ("10s", "10s"),
    ("2001-01-01", "2001-01-01"),
    ("'12'", "12"),
    ('"true"', "true"),
    ("'*'", "*"),
]


@pytest.mark.parametrize(("written", "means"), MEANINGS)
def test_a_scalar_means_what_yaml_1_2_says(written: str, means: object) -> None:
    tree = tree_of(f"key: {written}")
    assert isinstance(tree, Entries)
    value = tree.pairs[0][1]
    assert isinstance(value, Scalar)
    assert value.value == means
    assert type(value.value) is type(means)


def test_every_value_knows_its_line() -> None:
    tree = tree_of("a: 1\nb:\n  - x\n  - {c: d}\n")
    assert isinstance(tree, Entries)
    (_, items) = tree.pairs[1]
    assert isinstance(items, Items)
    assert [each.line for each in items.items] == [3, 4]


def test_an_alias_stands_for_its_anchor() -> None:
    tree = tree_of("a: &x [1, 2]\nb: *x\n")
    assert isinstance(tree, Entries)
    assert tree.pairs[0][1] == tree.pairs[1][1]


def nested(depth: int) -> str:
    return "a: " + "[" * depth + "]" * depth


def laughs(levels: int) -> str:
    lines = ["l0: &l0 [x, x, x, x]"]
    lines += [f"l{i}: &l{i} [*l{i - 1}, *l{i - 1}, *l{i - 1}, *l{i - 1}]" for i in range(1, levels)]
    return "\n".join(lines)


REFUSED = [
    ("a: [1, 2", 1, "expected"),
    ("a: 1\nb: 2\na: 3", 3, "twice, first in line 1"),
    ("a: &a [*a]", 1, "names nothing that ends before it"),
    ("a: *gone", 1, "names nothing"),
    ("a: !!int 5", 1, "no tags"),
    ("a: !python/object:os.system x", 1, "no tags"),
    ("%YAML 1.1\n---\na: on", 1, "YAML 1.2"),
    ("a: 1\n---\nb: 2", 2, "second one"),
    ("", 1, "empty"),
    ("# nothing\n", 1, "empty"),
    ("? [a]\n: b", 1, "single word"),
    ("a: \x01", 1, "control characters"),
    ("a:\n\tb: 1", 2, "token"),
    (nested(DEEPEST), 1, "deeper than"),
    (nested(5_000), 1, "maximum nesting depth"),
    ("a: &x " + "[" * 30 + "]" * 30 + "\nb: " + "[" * 30 + "*x" + "]" * 30, 2, "deeper than"),
    (laughs(12), 8, "aliases expanded"),
    ("a: &x 1\nb: [" + ", ".join(["*x"] * 1_001) + "]", 2, "more than 1000 aliases"),
]


@pytest.mark.parametrize(("text", "line", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_document_within_the_limits_is_refused_with_its_line(
    text: str, line: int, reason: str
) -> None:
    with pytest.raises(SourceError, match=reason) as refused:
        tree_of(text)
    assert refused.value.line == line


def test_a_file_too_large_or_not_utf_8_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.yaml"
    large.write_text("# " + "x" * LARGEST_FILE_BYTES)
    with pytest.raises(SourceError, match="larger than"):
        read_tree(large)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"name: a\nabout: \xe9\n")
    with pytest.raises(SourceError, match="UTF-8") as refused:
        read_tree(latin)
    assert refused.value.line == 2
