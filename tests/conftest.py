"""What holds for every test: how fast a machine is decides nothing, so examples have no deadline; and Ctrl-C
means what it means at a terminal, also where the tests run in the background of a script, which ignores it.
"""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # and every process that a test starts would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
