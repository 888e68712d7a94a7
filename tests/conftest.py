"""What holds for every test: how fast a machine is decides nothing, so examples have no deadline."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
