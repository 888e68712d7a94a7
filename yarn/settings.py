"""Settings: the properties of one process, typed and checked, read once at its edge.

    @settings
    class RMSettings:
        node_expiry_ms: int = setting("yarn.nm.liveness-monitor.expiry-interval-ms", 600_000, at_least=1)
        labels: LabelSettings = group(LabelSettings)

One declaration gives the property's name, type, default, unit, check and its row in the manual. The class
becomes a frozen struct whose fields all have defaults, so that a test writes
`RMSettings(node_expiry_ms=5_000)`. `read` fills it from a Configuration and reports all faults together. Owns
declaring and reading; the properties themselves are declared by each process. Hadoop: the
constants of YarnConfiguration and yarn-default.xml.

A default written as text with `${...}` in it is expanded where it is needed, as a default in yarn-default.xml
is: `setting("yarn.resourcemanager.webapp.address", "${yarn.resourcemanager.hostname}:8088")`.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import (
    Any,
    Protocol,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from yarnbox.yarn.configuration import (
    BUILT_IN,
    Configuration,
    ConfigurationError,
    Fault,
    Property,
    values,
)
from yarnbox.yarn.frozen import frozen

T = TypeVar("T")

_DECLARATIONS = "__declarations__"
_GROUPS = "__groups__"
_DEFAULTS = "__default_texts__"
"""What each of them says in a file, groups included."""


class Checked(Protocol):
    """A settings class may define `conflicts`: what is wrong between properties that are right one by one."""

    def conflicts(self) -> Iterator[Conflict]:
        """Each conflict, named by the property that ought to be changed."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A property whose value does not go together with another's."""

    name: str
    allowed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Everything that a declaration says about one property."""

    name: str
    default: Any
    doc: str
    unit: str | None = None
    suffixes: bool = False
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    one_of: tuple[str, ...] | None = None
    aliases: Mapping[str, str] | None = None
    check: Callable[[Any], str | None] | None = None
    parse: Callable[[str], Any] | None = None
    field: str = ""
    kind: Any = None
    optional: bool = False

    @property
    def default_text(self) -> str | None:
        """The default as a file would write it; None if the property is simply absent."""
        return _as_text(self.default)

    @property
    def type_text(self) -> str:
        """The kind of value in a word or two, for the manual."""
        if self.one_of is not None or (isinstance(self.kind, type) and issubclass(self.kind, Enum)):
            return "word"
        if self.aliases is not None:
            return "class"
        return _TYPE_WORDS.get(self.kind, getattr(self.kind, "__name__", "text").lower())

    @property
    def allowed(self) -> str:
        """What is allowed beyond the grammar of the type: bounds, or the words to choose from."""
        if self.one_of is not None:
            return "one of " + ", ".join(self.one_of)
        if isinstance(self.kind, type) and issubclass(self.kind, Enum):
            return "one of " + ", ".join(values.enumeration_word(member) for member in self.kind)
        if self.aliases is not None:
            return "one of " + ", ".join(self.aliases) + ", or a dotted class name"
        bounds = (("at least", self.at_least), ("more than", self.above), ("at most", self.at_most))
        return " and ".join(f"{words} {bound}" for words, bound in bounds if bound is not None)

    def parsed(self, text: str) -> Any:
        """The value that `text` stands for, checked; ValueError says what is allowed."""
        if self.optional and not text.strip():
            return None
        if self.kind is bool and not text.strip():
            return self.default
        try:
            value = self._parse(text)
        except ValueError as error:
            raise ValueError(" ".join(filter(None, [str(error), self._bounds()]))) from None
        if self._out_of_bounds(value):
            unit = f" ({self.unit})" if self.unit else ""
            raise ValueError(self.allowed + unit)
        complaint = self.check(value) if self.check is not None else None
        if complaint is not None:
            raise ValueError(complaint)
        return value

    def _bounds(self) -> str:
        return (
            self.allowed if self.one_of is None and self.aliases is None and self.kind in (int, float) else ""
        )

    def _out_of_bounds(self, value: Any) -> bool:
        if self.kind not in (int, float):
            return False
        return (
            (self.at_least is not None and value < self.at_least)
            or (self.above is not None and value <= self.above)
            or (self.at_most is not None and value > self.at_most)
        )

    def _parse(self, text: str) -> Any:
        if self.parse is not None:
            return self.parse(text)
        if self.aliases is not None:
            return values.class_name(text, self.aliases)
        if self.one_of is not None:
            return _one_of(text, self.one_of)
        if self.suffixes and self.unit in values.TIME_UNITS:
            return values.duration(text, self.unit)
        if self.suffixes and self.unit == "bytes":
            return values.size_bytes(text)
        if isinstance(self.kind, type) and issubclass(self.kind, Enum):
            return values.enumerated(text, self.kind)
        return _PARSERS[self.kind](text) if self.kind in _PARSERS else self.kind.parse(text)


def setting(
    name: str,
    default: Any,
    doc: str = "",
    *,
    unit: str | None = None,
    suffixes: bool = False,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    one_of: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
    check: Callable[[Any], str | None] | None = None,
    parse: Callable[[str], Any] | None = None,
) -> Any:
    """Declares a property as a field of a settings class.

    `unit`: of a plain number. `suffixes`: a duration may also be written `10s`, a number of bytes also `4g`;
    only for properties with which Hadoop allows that, for a file that is good here must be good there.
    `check`: gets the value, gives None or what would have been allowed. `parse`: instead of the type's own
    grammar.
    """
    return Declaration(
        name=name,
        default=default,
        doc=doc,
        unit=unit,
        suffixes=suffixes,
        at_least=at_least,
        above=above,
        at_most=at_most,
        one_of=None if one_of is None else tuple(one_of),
        aliases=aliases,
        check=check,
        parse=parse,
    )


@dataclass(frozen=True, slots=True)
class _Group:
    kind: type[Any]


def group(kind: type[T]) -> T:
    """Declares a field that holds another settings class, read together with this one."""
    return cast(T, _Group(kind))


@dataclass_transform(frozen_default=True, kw_only_default=True)
def settings(cls: type[T]) -> type[T]:
    """Makes a settings class of a class of declarations."""
    declarations: list[Declaration] = []
    groups: dict[str, type[Any]] = {}
    for field, hint in get_type_hints(cls).items():
        declared = cls.__dict__.get(field)
        if isinstance(declared, _Group):
            groups[field] = declared.kind
            setattr(cls, field, declared.kind())
        elif isinstance(declared, Declaration):
            kind, optional = _kind(hint)
            declarations.append(dataclasses.replace(declared, field=field, kind=kind, optional=optional))
        else:
            raise TypeError(f"{cls.__name__}.{field} is neither a setting nor a group")
    setattr(cls, _DECLARATIONS, tuple(declarations))
    setattr(cls, _GROUPS, groups)
    setattr(cls, _DEFAULTS, _default_texts(cls))
    defaults = with_defaults(Configuration(), cls)
    for declaration in declarations:
        setattr(cls, declaration.field, _value(declaration, defaults))
    return frozen(cls)


def declarations(kind: type[Any]) -> tuple[Declaration, ...]:
    """All declarations of a settings class, those of its groups behind its own."""
    own: tuple[Declaration, ...] = getattr(kind, _DECLARATIONS)
    inner = [declaration for part in getattr(kind, _GROUPS).values() for declaration in declarations(part)]
    return (*own, *inner)


def with_defaults(configuration: Configuration, *kinds: type[Any]) -> Configuration:
    """The configuration with the declared defaults below it: what a page of all properties shows."""
    for kind in kinds:
        configuration = configuration.with_defaults(getattr(kind, _DEFAULTS))
    return configuration


def read(kind: type[T], configuration: Configuration) -> T:
    """The settings of that class; ConfigurationError with every fault if there is any. A default that takes
    over a value from another property has no fault of its own.
    """
    complete = with_defaults(configuration, kind)
    faults: list[Fault] = []
    result = _read(kind, complete, faults)
    if result is not None and not faults:
        faults.extend(_conflicts(result, complete))
    if result is None or faults:
        given = {one.value for one in faults if one.source != BUILT_IN}
        raise ConfigurationError(one for one in faults if one.source != BUILT_IN or one.value not in given)
    return result


def table(*kinds: type[Any]) -> str:
    """The declared settings as a Markdown table, in the order of their declarations."""
    lines = ["| property | default | type | allowed | meaning |", "| --- | --- | --- | --- | --- |"]
    for kind in kinds:
        for row in declarations(kind):
            default = f"`{row.default_text}`" if row.default_text else ""
            type_text = f"{row.type_text}, {row.unit}" if row.unit else row.type_text
            cells = (f"`{row.name}`", default, type_text, row.allowed, row.doc)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _read(kind: type[T], configuration: Configuration, faults: list[Fault]) -> T | None:
    """The settings, or None when something in them is wrong; what is wrong joins `faults`."""
    found: dict[str, Any] = {}
    before = len(faults)
    defaults = getattr(kind, _DEFAULTS)
    for declaration in getattr(kind, _DECLARATIONS):
        given = configuration.property(declaration.name)
        if given is None or _is_default(given, defaults.get(declaration.name)):
            continue  # the class has this value
        try:
            found[declaration.field] = _value(declaration, configuration)
        except ConfigurationError as error:
            faults.extend(error.faults)
    for field, part in getattr(kind, _GROUPS).items():
        found[field] = _read(part, configuration, faults)
    return kind(**found) if len(faults) == before else None


def _is_default(given: Property, declared: str | None) -> bool:
    """Whether the property stands for the declared default: nobody gave it, and it names no other one."""
    return given.origin.source == BUILT_IN and given.raw == declared and "$" not in given.raw


def _value(declaration: Declaration, configuration: Configuration) -> Any:
    absent = None if declaration.optional else declaration.default
    return configuration.read(declaration.name, declaration.parsed, absent)


def _conflicts(instance: Any, configuration: Configuration) -> Iterator[Fault]:
    if hasattr(instance, "conflicts"):
        for conflict in cast(Checked, instance).conflicts():
            origin, value = configuration.origin(conflict.name), configuration.value(conflict.name)
            yield Fault(str(origin), conflict.name, value, conflict.allowed)
    for field in getattr(type(instance), _GROUPS):
        yield from _conflicts(getattr(instance, field), configuration)


def _default_texts(kind: type[Any]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for declaration in declarations(kind):
        if declaration.name in texts:
            raise TypeError(f"{declaration.name} is declared twice in {kind.__name__}")
        text = declaration.default_text
        if text is not None:
            texts[declaration.name] = text
    return texts


def _kind(hint: Any) -> tuple[Any, bool]:
    """The type a value has when it is there, and whether it may be absent."""
    if get_origin(hint) in (Union, types.UnionType):
        present = [part for part in get_args(hint) if part is not type(None)]
        if len(present) != 1:
            raise TypeError(f"a setting has one type, not {hint}")
        return present[0], True
    return hint, False


def _as_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return values.enumeration_word(value)
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return str(value)


def _one_of(text: str, words: tuple[str, ...]) -> str:
    wanted = text.strip().lower()
    for word in words:
        if wanted == word.lower():
            return word
    raise ValueError("one of " + ", ".join(words))


def _integers(text: str) -> tuple[int, ...]:
    return tuple(values.integer(part) for part in values.strings(text))


_PARSERS: Mapping[Any, Callable[[str], Any]] = {
    bool: values.boolean,
    float: values.number,
    int: values.long,
    str: str.strip,
    tuple[str, ...]: values.strings,
    tuple[int, ...]: _integers,
}
_TYPE_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    float: "number",
    int: "integer",
    str: "text",
    tuple[str, ...]: "list",
    tuple[int, ...]: "list of integers",
}
