"""Expansion of variables in property values, as Hadoop's Configuration.substituteVars does it.

The leftmost innermost `${name}` is replaced, again and again, at most twenty times: `env.NAME` from the
environment, any other name from the system properties, then from the raw (unexpanded) properties. A name that
nobody knows stays as it is written. A value that contains the very variable it stands for is left unexpanded.
Pure: environment and properties are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

MAXIMUM_SUBSTITUTIONS = 20

_VARIABLE = re.compile(r"\$\{([^}$ ]+)\}")
_ENV_DEFAULT = re.compile(r":-|-")


class TooManySubstitutionsError(ValueError):
    """More than MAXIMUM_SUBSTITUTIONS replacements: a loop through properties, or a value too clever."""


def expand(text: str, lookup: Callable[[str], str | None], environment: Mapping[str, str]) -> str:
    """`text` with its variables replaced; `lookup` gives the raw value of a property or system property."""
    result = text
    for _ in range(MAXIMUM_SUBSTITUTIONS):
        match = _VARIABLE.search(result)
        if match is None:
            return result
        name = match.group(1)
        value = (
            _from_environment(name[4:], environment) if name.startswith("env.") and len(name) > 4 else None
        )
        if value is None:
            value = lookup(name)
        if value is None:
            return result
        if match.group(0) in value:
            return text
        result = result[: match.start()] + value + result[match.end() :]
    raise TooManySubstitutionsError(
        f"a value whose variables are replaced in {MAXIMUM_SUBSTITUTIONS} steps: "
        "do properties refer to each other in a circle?"
    )


def _from_environment(expression: str, environment: Mapping[str, str]) -> str | None:
    """`NAME`, `NAME-default` (when unset) or `NAME:-default` (when unset or empty)."""
    match = _ENV_DEFAULT.search(expression)
    if match is None:
        return environment.get(expression)
    value = environment.get(expression[: match.start()])
    default = expression[match.end() :]
    if match.group() == ":-":
        return value or default
    return default if value is None else value
