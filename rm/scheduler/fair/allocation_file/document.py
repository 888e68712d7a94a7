"""The allocation file as XML: elements with their lines, comments left out, read safely.

Owns the reading alone; what an element means is the business of allocations.py and placement.py. Entity
declarations are refused, whatever they would expand to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import StringIO
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr
from xml.sax.xmlreader import AttributesImpl, InputSource

import defusedxml.sax
from defusedxml.common import DefusedXmlException

from yarnbox.yarn.configuration import ConfigurationError


@dataclass(slots=True)
class Element:
    """One element: its name, attributes, the text before its first child, and its children in order."""

    name: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Element] = field(default_factory=list)


def read_document(text: str, source: str) -> Element:
    """The top-level element; ConfigurationError with file and line when it is no well-formed XML."""
    reader = _Reader()
    stream = InputSource()
    stream.setCharacterStream(StringIO(text.lstrip("\ufeff")))
    try:
        defusedxml.sax.parse(stream, reader, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except SAXParseException as error:
        place = f"{source}:{error.getLineNumber()}"
        raise ConfigurationError.of(place, f"not well-formed XML: {error.getMessage()}") from None
    except DefusedXmlException as error:
        refused = f"declares or refers to an entity, which is refused ({type(error).__name__})"
        raise ConfigurationError.of(f"{source}:{reader.line}", refused) from None
    except (SAXException, UnicodeError) as error:
        raise ConfigurationError.of(f"{source}:{reader.line}", f"not well-formed XML: {error}") from None
    assert reader.top is not None, "a document without a top-level element is not well-formed"
    return reader.top


def write_document(top: Element) -> str:
    """The document as text."""
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in top.attributes.items())
    children = "".join(map(write_document, top.children))
    return f"<{top.name}{attributes}>{escape(top.text)}{children}</{top.name}>"


class _Reader(ContentHandler):
    """Builds the elements while the parser walks."""

    def __init__(self) -> None:
        super().__init__()
        self.top: Element | None = None
        self._open: list[Element] = []

    @property
    def line(self) -> int:
        """The line that the parser is at."""
        locator = self._locator  # type: ignore[attr-defined]
        return (locator.getLineNumber() or 1) if locator is not None else 1

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the name is SAX's
        element = Element(name, self.line, dict(attrs.items()))
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.top = element
        self._open.append(element)

    def characters(self, content: str) -> None:
        element = self._open[-1]
        if not element.children:
            element.text += content

    def endElement(self, name: str) -> None:  # noqa: N802 - the name is SAX's
        self._open.pop()
