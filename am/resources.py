"""Resources of containers as text, for whoever hands them on to other containers."""

from __future__ import annotations

import base64

from yarnbox.yarn.records.container import LocalResource
from yarnbox.yarn.wire import from_bytes, to_bytes


def resource_text(resource: LocalResource) -> str:
    """A resource as one word, without a comma."""
    return base64.urlsafe_b64encode(to_bytes(resource)).decode()


def resource_of(text: str) -> LocalResource:
    return from_bytes(LocalResource, base64.urlsafe_b64decode(text))
