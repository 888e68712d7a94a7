"""`python -m yarnbox.nm`."""

import sys

from yarnbox.nm.edge.main import main

sys.exit(main())
