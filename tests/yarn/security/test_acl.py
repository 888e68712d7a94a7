"""Access control lists: who is in them, and their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.security.acl import EVERYBODY, NOBODY, AccessControlList

NAMES = st.lists(st.text("abc", min_size=1), unique=True).map(tuple)


@pytest.mark.parametrize(
    "text, users, groups",
    [
        ("alice,bob staff,ops", ("alice", "bob"), ("staff", "ops")),
        ("alice", ("alice",), ()),
        (" staff", (), ("staff",)),
        ("alice, bob staff", ("alice",), ("bob staff",)),
        ("a,,a,b ", ("a", "b"), ()),
        ("", (), ()),
        (" ", (), ()),
    ],
)
def test_text(text: str, users: tuple[str, ...], groups: tuple[str, ...]) -> None:
    assert AccessControlList.parse(text) == AccessControlList(users, groups)


@pytest.mark.parametrize("text", ["*", " *", "* staff", "alice *", " * "])
def test_a_star_is_everybody(text: str) -> None:
    assert AccessControlList.parse(text) == EVERYBODY


def test_who_is_allowed() -> None:
    acl = AccessControlList.parse("alice,~proxy staff")
    assert acl.allows("alice")
    assert acl.allows("bob", ["staff"])
    assert not acl.allows("bob", ["guests"])
    assert not acl.allows("staff")
    assert acl.allows("bob", real_user="proxy")
    assert not acl.allows("proxy")
    assert EVERYBODY.allows("anybody")
    assert not NOBODY.allows("anybody", ["staff"])


@pytest.mark.parametrize(
    "text, description",
    [
        ("*", "All users are allowed"),
        (" ", "No users are allowed"),
        ("a,b", "Users a, b are allowed"),
        (" g", "Members of the groups g are allowed"),
        ("a g", "Users a and members of the groups g are allowed"),
    ],
)
def test_description(text: str, description: str) -> None:
    assert AccessControlList.parse(text).description == description


@given(NAMES, NAMES)
def test_the_text_reads_back(users: tuple[str, ...], groups: tuple[str, ...]) -> None:
    acl = AccessControlList(users, groups)
    assert AccessControlList.parse(str(acl)) == acl
