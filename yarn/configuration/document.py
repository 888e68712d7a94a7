"""One XML resource of a configuration: read with line numbers, safely; or written.

Owns the grammar of Hadoop's resource files (`<property>` with elements or with attributes, `<final>`,
`xi:include` with `xi:fallback`) and the rule that an include never leaves the configuration directory. Does
not know which resource overrides which, nor what a property means. Hadoop: the parser inside Hadoop's
Configuration and Configuration.writeXml.

Like Hadoop's parser it skips elements that it does not know; unlike it, it says so in a notice. Entity
declarations are refused outright, whatever they would expand to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from pathlib import Path
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, InputSource

from yarnbox.yarn.configuration.fault import ConfigurationError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_NOT_XML = (
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # compiling takes 10 ms, so only who writes does
)
_TEXT_ELEMENTS = ("name", "value", "final", "source", "tag", "description")
_KNOWN_ELEMENTS = ("configuration", "property", "include", "fallback", *_TEXT_ELEMENTS)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written: a file and line, `-D`, `default` or whatever the caller named it."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    @property
    def resource(self) -> str:
        """The last part of the source, as Hadoop's configuration page shows it: `yarn-site.xml`."""
        return self.source.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something in a resource that was passed over or translated; worth a line of log, no reason to stop."""

    origin: Origin
    text: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.text}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One `<property>` as it stands. A missing or empty `<value>` element is None: it sets nothing."""

    name: str
    value: str | None
    final: bool
    origin: Origin


@dataclass(frozen=True, slots=True)
class Document:
    """One resource, its includes in place: entries and notices in the order of the text."""

    source: str
    entries: tuple[Entry, ...]
    notices: tuple[Notice, ...] = ()


def read_text(text: str | bytes, source: str) -> Document:
    """The document in `text`. An include has no directory to stay in here, so there can be none."""
    return _read(text, source, None, None, ())


def read_file(directory: Path, name: str) -> Document:
    """The document in the file `name` of the configuration directory, which its includes may not leave."""
    path = directory / name
    root = directory.resolve()
    if not path.resolve().is_relative_to(root):
        raise ConfigurationError.of(path, f"leaves the configuration directory {directory}")
    return _read_file(path, root, ())


def text_of(path: Path) -> str | None:
    """The text of a file that is no resource, such as an allocation file; None when there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError.of(path, f"cannot be read: {error}") from error


def write(entries: Iterable[tuple[str, str, bool]], comment: str | None = None) -> str:
    """A resource of (name, value, final), each in a form that reads back as exactly this value."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    if comment is not None:
        lines.append(f"<!-- {comment.replace('--', '- -')} -->")
    lines.append("<configuration>")
    lines.extend(_write_property(name, value, final) for name, value, final in entries)
    lines.append("</configuration>\n")
    return "\n".join(lines)


def _write_property(name: str, value: str, final: bool) -> str:
    # It brings urllib.request, too, as in _read.
    from xml.sax.saxutils import escape, quoteattr

    for text in (name, value):
        if re.search(_NOT_XML, text):
            raise ConfigurationError.of("to_xml", "text that XML can hold", name=name, value=value)
    if not value or name != name.strip() or not name.isprintable():
        # The element form trims names and takes an empty value for none; attributes keep both.
        attributes = f"name={quoteattr(name)} value={quoteattr(value)}" + (' final="true"' if final else "")
        return f"  <property {attributes}/>"
    text = escape(value, {"\r": "&#13;"})
    ending = "<final>true</final></property>" if final else "</property>"
    return f"  <property><name>{escape(name)}</name><value>{text}</value>{ending}"


def _read_file(path: Path, root: Path, including: tuple[Path, ...]) -> Document:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError.of(path, f"cannot be read: {error.strerror or error}") from None
    return _read(content, str(path), path, root, (*including, path.resolve()))


def _read(
    content: str | bytes, source: str, path: Path | None, root: Path | None, including: tuple[Path, ...]
) -> Document:
    reader = _Reader(source, path, root, including)
    # It brings urllib.request, a sixth of the start of a task, and few tasks read a configuration.
    import defusedxml.sax
    from defusedxml.common import DefusedXmlException

    stream = InputSource()
    if isinstance(content, str):
        stream.setCharacterStream(StringIO(content))  # already characters, whatever encoding it declares
    else:
        stream.setByteStream(BytesIO(content))
    try:
        defusedxml.sax.parse(stream, reader, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except SAXParseException as error:
        place = Origin(source, error.getLineNumber())
        raise ConfigurationError.of(place, f"not well-formed XML: {error.getMessage()}") from None
    except DefusedXmlException as error:
        refused = f"declares or refers to an entity, which is refused ({type(error).__name__})"
        raise ConfigurationError.of(Origin(source, reader.line), refused) from None
    except (SAXException, UnicodeError) as error:
        raise ConfigurationError.of(Origin(source, reader.line), f"not well-formed XML: {error}") from None
    return Document(source, tuple(reader.entries), tuple(reader.notices))


@dataclass(slots=True)
class _Property:
    """The `<property>` being read."""

    line: int
    name: str | None = None
    value: str | None = None
    final: bool = False


@dataclass(slots=True)
class _Include:
    """The `xi:include` being read: a missing file needs a fallback, which otherwise does not count."""

    href: str
    line: int
    missing: bool = False
    fallback_seen: bool = False


@dataclass
class _Reader(ContentHandler):
    """Collects entries and notices while the parser walks through one resource."""

    source: str
    path: Path | None
    root: Path | None
    including: tuple[Path, ...]
    entries: list[Entry] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._depth = 0
        self._property: _Property | None = None
        self._include: _Include | None = None
        self._text: list[str] = []

    @property
    def line(self) -> int:
        """The line the parser is at."""
        locator = self._locator  # type: ignore[attr-defined]
        return (locator.getLineNumber() or 1) if locator is not None else 1

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the name is SAX's
        element = name.rpartition(":")[2]
        if self._depth == 0 and element != "configuration":
            self._notice(f"the top-level element is <{name}>, not <configuration>")
        elif element not in _KNOWN_ELEMENTS:
            self._notice(f"unknown element <{name}> is ignored")
        self._depth += 1
        if element == "property":
            self._property = _from_attributes(self.line, dict(attrs.items()))
        elif element in _TEXT_ELEMENTS:
            self._text = []
        elif element == "include" and "href" in attrs:
            self._start_include(attrs["href"])
        elif element == "fallback" and self._include is not None:
            self._include.fallback_seen = True

    def characters(self, content: str) -> None:
        self._text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802 - the name is SAX's
        self._depth -= 1
        element = name.rpartition(":")[2]
        if element == "property":
            self._end_property()
        elif element == "include":
            self._end_include()
        elif element in _TEXT_ELEMENTS and self._property is not None:
            self._end_text(element, self._property)

    def _end_text(self, element: str, entry: _Property) -> None:
        text = "".join(self._text)
        if element == "name" and text:
            entry.name = text.strip()
        elif element == "value" and text:
            entry.value = text
        elif element == "final":
            entry.final = text == "true"
            if not entry.final and text.strip() != "false":
                self._notice(
                    f"<final>{text}</final> of {entry.name} is not exactly `true`: the property is not final"
                )

    def _end_property(self) -> None:
        entry, self._property = self._property, None
        if entry is None:
            return
        if not entry.name:
            self._notice("a property without a name is ignored", entry.line)
        elif self._include is None or self._include.missing:
            self.entries.append(Entry(entry.name, entry.value, entry.final, Origin(self.source, entry.line)))

    def _start_include(self, href: str) -> None:
        self._include = include = _Include(href, self.line)
        if self.root is None or self.path is None:
            raise self._refusal(
                include, "is refused: this document does not lie in a configuration directory"
            )
        if _URL.match(href) or href.startswith("//"):
            raise self._refusal(
                include, "is refused: only files of the configuration directory may be included"
            )
        target = self.path.parent / href
        resolved = target.resolve()
        if not resolved.is_relative_to(self.root):
            raise self._refusal(include, "is refused: it leaves the configuration directory")
        if resolved in self.including:
            raise self._refusal(include, "is refused: the file includes itself")
        if not resolved.exists():
            include.missing = True
            return
        document = _read_file(target, self.root, self.including)
        self.entries.extend(document.entries)
        self.notices.extend(document.notices)

    def _end_include(self) -> None:
        include, self._include = self._include, None
        if include is not None and include.missing and not include.fallback_seen:
            raise self._refusal(include, "names no file, and there is no xi:fallback")

    def _refusal(self, include: _Include, why: str) -> ConfigurationError:
        return ConfigurationError.of(
            Origin(self.source, include.line), f'xi:include href="{include.href}" {why}'
        )

    def _notice(self, text: str, line: int | None = None) -> None:
        self.notices.append(Notice(Origin(self.source, line or self.line), text))


def _from_attributes(line: int, attributes: Mapping[str, str]) -> _Property:
    """The short form: `<property name="..." value="..." final="true"/>`; elements inside may add to it."""
    return _Property(line, attributes.get("name"), attributes.get("value"), attributes.get("final") == "true")
