"""`python -m yarnbox.testing.walk`."""

import sys

from yarnbox.testing.walk.command import main

sys.exit(main())
