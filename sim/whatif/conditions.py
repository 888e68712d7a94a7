"""The language of `--fail-if` and `--subject-to`: conditions on a change, checked before anything is played.

    condition  = conjunction { "or" conjunction }
    conjunction = term { "and" term }
    term       = "not" term | "(" condition ")" | [ "surely" ] [ group ] metric operator amount
    group      = "all" | scope ":" pattern          scope: queue, user, class, type, partition
    operator   = ">" | ">=" | "<" | "<="
    amount     = [ "+" | "-" ] number [ unit ]      unit: %, points, ms, s, min, h

An amount with a sign is a difference to the base: `+10%` of the base, `+5s`, `+3points`, `+2`. One without is
what the change itself comes to: `60s`, `70%`, `2`. A comparison holds where it does for one of its groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from yarnbox.sim.whatif.comparison import Comparison, Row
from yarnbox.sim.whatif.metrics import ALL, METRICS, SCOPES, Metric, Unit, relative, shown, signed
from yarnbox.sim.whatif.statistics import Verdict
from yarnbox.yarn.text.words import did_you_mean

_TOKEN = re.compile(
    r"\s*(?:(?P<operator>[<>]=?)|(?P<bracket>[()])"
    r"|(?P<amount>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:\s?(?:%|(?:points|ms|s|min|h)\b)|[A-Za-z]+)?(?=[\s()]|$))"
    r"|(?P<word>[^\s()<>]+))"
)
_AMOUNT = re.compile(r"(?P<sign>[+-]?)(?P<number>[\d.]+)\s?(?P<unit>%|[A-Za-z]*)")
_TIMES = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
_UNITS = ("%", "points", *_TIMES)
_OPERATORS = (">", ">=", "<", "<=")
_RESERVED = ("and", "or", "not", "surely")


class InvalidConditionError(Exception):
    """A condition that cannot be read: what is wrong, where, and what is allowed."""

    def __init__(self, text: str, position: int, why: str) -> None:
        super().__init__(f"{text!r}, at character {position + 1}: {why}")
        self.position = position


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What a figure is compared with."""

    value: float
    """In the figure's unit; a part of the base where it is relative."""
    is_difference: bool
    is_relative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A figure of one group or several."""

    group: str
    """A pattern."""
    metric: Metric

    def groups(self, known: Iterable[str]) -> list[str]:
        """The groups that it means, of these."""
        return [one for one in known if fnmatchcase(one, self.group)]

    def nobody(self, known: Iterable[str]) -> str:
        """What to say where it means none of them."""
        scope, _, pattern = self.group.partition(":")
        alike = [one for one in known if one.startswith(f"{scope}:")]
        names = ", ".join(one.partition(":")[2] for one in alike[:8]) or "none"
        hint = did_you_mean(self.group, alike)
        return f"no {scope} of the load matches {pattern}{hint}; there are: {names}"

    def __str__(self) -> str:
        return self.metric.name if self.group == ALL else f"{self.group} {self.metric.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing:
    """`queue:root.* wait.p95 > +10%`."""

    target: Target
    operator: str
    amount: Amount
    is_sure: bool
    position: int

    def holds_for(self, row: Row) -> bool:
        """Whether it does; where base or change has no such figure it does not."""
        low, middle, high = _bounds(row, self.amount)
        if middle is None:
            return False
        if self.is_sure:
            edge = low if self.operator.startswith(">") else high
            return edge is not None and self._compare(edge)
        is_noise = self.amount.is_difference and row.verdict in (Verdict.NOISE, Verdict.SAME)
        return self._compare(0.0 if is_noise else middle)

    def _compare(self, value: float) -> bool:
        limit = self.amount.value
        return {
            ">": value > limit,
            ">=": value >= limit,
            "<": value < limit,
            "<=": value <= limit,
        }[self.operator]


@dataclass(frozen=True, slots=True)
class Negation:
    """`not (...)`."""

    of: Condition


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`... and ...`."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """`... or ...`."""

    parts: tuple[Condition, ...]


Condition = Comparing | Negation | Conjunction | Alternative


def _bounds(row: Row, amount: Amount) -> tuple[float | None, float | None, float | None]:
    """The lower end of the interval, the mean, the upper end, in what the amount is in."""
    found = row.difference
    if not amount.is_difference:
        if row.changed is None:
            return None, None, None
        if found is None or found.low is None or found.high is None:
            return None, row.changed, None
        return row.changed + found.low - found.mean, row.changed, row.changed + found.high - found.mean
    if found is None:
        return None, None, None
    if not amount.is_relative:
        return found.low, found.mean, found.high
    if not row.base:
        grown = float("inf") if found.mean > 0 else float("-inf") if found.mean < 0 else 0.0
        return grown if found.low else 0.0, grown, grown
    scale = abs(row.base)
    low, high = found.low, found.high
    return None if low is None else low / scale, found.mean / scale, None if high is None else high / scale


# ---- judging


@dataclass(frozen=True, slots=True)
class Judgement:
    """A condition on a change, judged."""

    holds: bool
    reasons: tuple[str, ...]
    """The figures for which its comparisons hold."""


def judge(condition: Condition, text: str, comparison: Comparison, variant: int) -> Judgement:
    """Whether it holds for the change; InvalidConditionError where a pattern means nobody."""
    if isinstance(condition, Comparing):
        metric = condition.target.metric
        groups = _meant(condition, text, comparison.groups())
        rows = [comparison.row(variant, group, metric) for group in groups]
        found = [row for row in rows if condition.holds_for(row)]
        return Judgement(bool(found), tuple(map(reason, found)))
    if isinstance(condition, Negation):
        inner = judge(condition.of, text, comparison, variant)
        return Judgement(not inner.holds, ())
    judged = [judge(part, text, comparison, variant) for part in condition.parts]
    of_all = all if isinstance(condition, Conjunction) else any
    holds = of_all(one.holds for one in judged)
    return Judgement(holds, tuple(why for one in judged if one.holds for why in one.reasons))


def reason(row: Row) -> str:
    """`queue:root.etl wait.p95 12.0 s, was 10.0 s: +2.0 s (+20 %)`."""
    unit = row.metric.unit
    delta = None if row.difference is None else row.difference.mean
    change = f": {signed(delta, unit)} ({relative(row.relative)})" if delta else ""
    return f"{row.group} {row.metric.name} {shown(row.changed, unit)}, was {shown(row.base, unit)}{change}"


def check_groups(condition: Condition, text: str, known: Sequence[str]) -> None:
    """InvalidConditionError where a pattern of it means none of these groups."""
    if isinstance(condition, Comparing):
        _meant(condition, text, known)
    elif isinstance(condition, Negation):
        check_groups(condition.of, text, known)
    else:
        for part in condition.parts:
            check_groups(part, text, known)


def _meant(condition: Comparing, text: str, known: Sequence[str]) -> list[str]:
    found = condition.target.groups(known)
    if not found:
        raise InvalidConditionError(text, condition.position, condition.target.nobody(known))
    return found


# ---- reading


def read_condition(text: str) -> Condition:
    """InvalidConditionError says what is wrong, and where."""
    reader = _Reader(text)
    found = reader.condition()
    reader.expect_end()
    return found


def read_target(text: str, start: int = 0) -> Target:
    """`queue:root.etl wait.p95`: a figure of one group."""
    reader = _Reader(text, start)
    target, _ = reader.target()
    reader.expect_end()
    return target


class _Reader:
    def __init__(self, text: str, start: int = 0) -> None:
        self._text = text
        self._tokens = list(_tokens(text, start))
        self._place = 0

    def condition(self) -> Condition:
        parts = [self._conjunction()]
        while self._take("or"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Alternative(tuple(parts))

    def _conjunction(self) -> Condition:
        parts = [self._term()]
        while self._take("and"):
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))

    def _term(self) -> Condition:
        if self._take("not"):
            return Negation(self._term())
        if self._take("("):
            found = self.condition()
            if not self._take(")"):
                raise self._wrong("a closing ) is missing")
            return found
        is_sure = self._take("surely")
        target, position = self.target()
        token = self._next()
        if token is None or token.kind != "operator":
            raise self._wrong(f"expected one of {', '.join(_OPERATORS)}", token)
        return Comparing(
            target=target,
            operator=token.text,
            amount=self._amount(target.metric),
            is_sure=is_sure,
            position=position,
        )

    def target(self) -> tuple[Target, int]:
        token = self._next()
        position = len(self._text) if token is None else token.position
        group = ALL
        if token is not None and (token.text == ALL or ":" in token.text):
            group = self._group(token)
            token = self._next()
        if token is None or token.kind != "word" or token.text in _RESERVED:
            raise self._wrong("expected a metric, such as wait.p95", token)
        metric = METRICS.get(token.text)
        if metric is None:
            alike = [name for name in METRICS if name.startswith(f"{token.text}.")]
            hint = f": say which, {', '.join(alike)}" if alike else did_you_mean(token.text, list(METRICS))
            raise self._wrong(f"there is no metric {token.text}{hint}", token)
        if not metric.is_of(group):
            of = " or ".join(one if one == ALL else f"{one}:NAME" for one in metric.scopes)
            raise InvalidConditionError(
                self._text, position, f"{metric.name} is a figure of {of}, not of {group}"
            )
        return Target(group=group, metric=metric), position

    def _group(self, token: _Token) -> str:
        scope, colon, pattern = token.text.partition(":")
        if not colon:
            return ALL
        if scope not in SCOPES:
            hint = did_you_mean(scope, SCOPES)
            raise self._wrong(f"{scope} is none of {', '.join(SCOPES)}{hint}", token)
        if not pattern:
            raise self._wrong(f"expected a name or a pattern behind {scope}:", token)
        return token.text

    def _amount(self, metric: Metric) -> Amount:
        token = self._next()
        match = None if token is None or token.kind != "amount" else _AMOUNT.fullmatch(token.text)
        if token is None or match is None:
            raise self._wrong(f"expected an amount, such as {' or '.join(_examples(metric))}", token)
        value = float(match["number"]) * (-1 if match["sign"] == "-" else 1)
        unit, is_difference = match["unit"], bool(match["sign"])
        if unit and unit not in _UNITS:
            raise self._wrong(f"{unit} is none of the units {', '.join(_UNITS)}", token)
        if unit == "%" and is_difference:
            return Amount(value=value / 100, is_difference=True, is_relative=True)
        scale = _scale(metric.unit, unit, is_difference=is_difference)
        if scale is None:
            of = {Unit.TIME: "a time", Unit.SHARE: "a share", Unit.COUNT: "a count", Unit.FACTOR: "a factor"}
            wanted = f"{metric.name} is {of[metric.unit]}: compare it with {' or '.join(_examples(metric))}"
            raise self._wrong(wanted, token)
        return Amount(value=value * scale, is_difference=is_difference, is_relative=False)

    def expect_end(self) -> None:
        token = self._next()
        if token is not None:
            raise self._wrong("nothing may follow a condition but and, or", token)

    def _take(self, text: str) -> bool:
        if self._place < len(self._tokens) and self._tokens[self._place].text == text:
            self._place += 1
            return True
        return False

    def _next(self) -> _Token | None:
        self._place += 1
        return self._tokens[self._place - 1] if self._place <= len(self._tokens) else None

    def _wrong(self, why: str, token: _Token | None = None) -> InvalidConditionError:
        return InvalidConditionError(self._text, len(self._text) if token is None else token.position, why)


def _scale(of: Unit, unit: str, *, is_difference: bool) -> float | None:
    """What makes a number in that unit one in the metric's; None where the unit does not fit."""
    if of is Unit.TIME:
        return _TIMES.get(unit)
    if of is Unit.SHARE:
        return 0.01 if unit == ("points" if is_difference else "%") else None
    return 1.0 if not unit else None


def _examples(metric: Metric) -> Sequence[str]:
    return {
        Unit.TIME: ("60s", "+5s", "+10%"),
        Unit.SHARE: ("70%", "-3points", "-10%"),
        Unit.COUNT: ("5", "+5", "+10%"),
        Unit.FACTOR: ("2", "+0.5", "+10%"),
    }[metric.unit]


def _tokens(text: str, start: int) -> Iterator[_Token]:
    place, end = start, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        assert match is not None
        kind = match.lastgroup or ""
        yield _Token(kind, match[kind], match.start(kind))
        place = match.end()
