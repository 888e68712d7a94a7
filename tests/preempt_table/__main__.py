"""`python -m tests.preempt_table FILE...`."""

import sys

from tests.preempt_table.command import main

sys.exit(main(sys.argv[1:]))
