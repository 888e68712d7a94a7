"""What the pages need beside Hadoop's REST: what the reader may do, and the configuration. Ours alone."""

from __future__ import annotations

from rm.edge.http.calls import Call, Reply, Route


def rights(call: Call) -> Reply:
    """GET /ui/rights?app=: whether actions are offered, and this reader may change this application."""
    user, access = call.caller.user, call.access
    may_modify = False
    if call.parameter("app"):
        for application_id, app in call.context.apps.items():
            if str(application_id) == call.parameter("app"):
                may_modify = access.may_modify(user, app)
    value = {
        "user": user,
        "isAdmin": not access.is_enabled or access.is_admin(user),
        "actions": call.context.settings.web.actions_enabled,
        "mayModify": may_modify and call.context.settings.web.actions_enabled,
    }
    return Reply(root="rights", shows_root=False, value=value)


def configuration(call: Call) -> Reply:
    """GET /ui/conf: what was configured; for administrators, as Hadoop's /conf."""
    call.check_admin()
    source = call.context.configuration
    shown = [
        {"name": name, "value": source.value(name) or ""}
        for name in sorted(source.names(""))
        if not any(word in name for word in ("password", "secret", "credential"))
    ]
    return Reply(root="configuration", shows_root=False, value={"property": shown})


ROUTES: tuple[Route, ...] = (("GET", "/ui/rights", rights), ("GET", "/ui/conf", configuration))
