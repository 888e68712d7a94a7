"""Groups: named ones first, then the machine's."""

from __future__ import annotations

import grp
import os
import pwd

from yarnbox.rm.edge.security.groups import OVERRIDES_PROPERTY, UserGroups, parse_overrides
from yarnbox.yarn.configuration import Configuration


def test_overrides_name_users_and_their_groups() -> None:
    assert parse_overrides(" ann = staff, admin ;bob=;;=x") == {"ann": ("staff", "admin"), "bob": ()}


def test_named_users_have_the_named_groups() -> None:
    groups = UserGroups(Configuration.of({OVERRIDES_PROPERTY: "ann=staff;me="}))
    assert groups.groups_of("ann") == ("staff",)
    assert groups.groups_of("me") == ()


def test_others_have_those_of_the_machine() -> None:
    me = pwd.getpwuid(os.getuid())
    groups = UserGroups(Configuration())
    assert groups.groups_of(me.pw_name)[0] == grp.getgrgid(me.pw_gid).gr_name
    assert groups.groups_of("nobody of that name") == ()
    assert groups.groups_of("ro\0ot") == ()
    assert groups.groups_of("dr.who") == ()
