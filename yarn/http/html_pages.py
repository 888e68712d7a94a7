"""HTML pages of the daemons other than the RM: no scripts, every text escaped, one style.

Owns how such pages look; callers pass what they show. Hadoop: the Hamlet of its webapps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape

STYLE = """
:root {
  color-scheme: light dark; font: 15px / 1.45 system-ui, sans-serif;
  --ink: light-dark(#1b1f24, #e6edf3); --soft: light-dark(#57606a, #9ba6b2);
  --paper: light-dark(#fff, #11161c); --field: light-dark(#f3f5f7, #1b222b);
  --line: light-dark(#d0d7de, #36404b); --accent: light-dark(#0b5cad, #6cb6ff);
  color: var(--ink); background: var(--paper);
}
body { margin: 0 }
header {
  display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding: .8rem 1rem;
  background: var(--field); border-bottom: 1px solid var(--line);
}
header b { margin: 0 }
header nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem }
header a { text-decoration: none }
a { color: var(--accent) }
main { max-width: 100rem; margin: auto; padding: 0 1rem 2rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem }
table {
  border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums;
  /* A shadow at an edge says that there is more beyond it. */
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) right / 3rem 100% no-repeat local,
    radial-gradient(farthest-side at 0 50%, var(--soft), transparent) left / .7rem 100% no-repeat scroll,
    radial-gradient(farthest-side at 100% 50%, var(--soft), transparent) right / .7rem 100% no-repeat scroll;
}
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0 }
tr { border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 500 }
th[scope=row] { white-space: nowrap }
td.long { overflow-wrap: anywhere }
time span { white-space: nowrap }
pre { overflow-wrap: anywhere; white-space: pre-wrap; padding: .75rem; background: var(--field); margin: 0 }
@media (max-width: 45rem) {
  th[scope=row] { white-space: normal }
  th[scope=row] + td { overflow-wrap: anywhere; min-width: 9rem }
}
@media (prefers-contrast: more) {
  :root {
    --ink: light-dark(#000, #fff); --soft: light-dark(#2b2f33, #e3e8ed); --paper: light-dark(#fff, #000);
    --field: light-dark(#fff, #000); --line: light-dark(#4d545b, #a9b4c0);
    --accent: light-dark(#003d80, #9cd0ff);
  }
  a { text-decoration: underline }
}
"""
POLICY = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
"""The icon of each page is an empty `data:`; without it browsers ask for /favicon.ico."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: object) -> Html:
    """A value as HTML, unless it is HTML already."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def link(to: str, shown: object) -> Html:
    return Html(f'<a href="{escape(to)}">{text(shown)}</a>')


def heading(shown: object) -> Html:
    """A heading below the page's own."""
    return Html(f"<h2>{text(shown)}</h2>")


def preformatted(shown: str) -> Html:
    """Text with its line ends."""
    return Html(f"<pre>{escape(shown)}</pre>")


def document(title: str, body: Iterable[object], links: Iterable[tuple[str, object]], stylesheet: str) -> str:
    """A whole page, with a bar of links at its top."""
    bar = " ".join(link(to, shown) for to, shown in links)
    inside = "\n".join(text(one) for one in body)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><link rel="stylesheet" href="{escape(stylesheet)}"></head>'
        f"<body><header><b>yarnbox</b><nav>{bar}</nav></header>"
        f"<main><h1>{escape(title)}</h1>\n{inside}</main></body></html>\n"
    )


def facts(pairs: Sequence[tuple[str, object]]) -> Html:
    """Names and values."""
    rows = "".join(f'<tr><th scope="row">{text(name)}</th>{_cell(value)}</tr>' for name, value in pairs)
    return Html(f"<table>{rows}</table>")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], none: str) -> Html:
    """A table, or what to say when it is empty."""
    if not rows:
        return Html(f"<p>{escape(none)}</p>")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


_LONG = 60
"""Characters of a text that is broken where it must be; shorter ones, such as ids, stay whole."""


def _cell(value: object) -> Html:
    is_long = not isinstance(value, Html) and len(str(value)) > _LONG
    return Html(f"<td{' class=long' if is_long else ''}>{text(value)}</td>")


def moment(moment_ms: int | None) -> Html:
    """A time of the day here; under the pointer with its zone."""
    local = datetime.fromtimestamp((moment_ms or 0) / 1000, UTC).astimezone()
    whole = escape(f"{local:%a %b %d %H:%M:%S %Z %Y}")
    day, clock = f"{local:%Y-%m-%d}", f"{local:%H:%M:%S}"
    return Html(f'<time title="{whole}"><span>{day}</span> <span>{clock}</span></time>')
