"""Hadoop's configuration: XML resources in, one ordered set of properties out, every value with its origin.

fault.py       ConfigurationError: all that is wrong, each fault with place, value and what is allowed
document.py    one XML resource: reading it safely with line numbers, its xi:includes; writing one
values.py      the grammars of values: integers, durations, sizes, lists, class names
deprecated.py  old property names and their successors
properties.py  Configuration: resources in order, final properties, overlay, typed reading; `${name}` expanded
repeated.py    properties that a file sets more than once
"""

from yarnbox.yarn.configuration.document import Document, Notice, Origin, text_of
from yarnbox.yarn.configuration.fault import ConfigurationError, Fault
from yarnbox.yarn.configuration.properties import BUILT_IN, SITE_FILES, Configuration, Property

__all__ = [
    "BUILT_IN",
    "SITE_FILES",
    "Configuration",
    "ConfigurationError",
    "Document",
    "Fault",
    "Notice",
    "Origin",
    "Property",
    "text_of",
]
