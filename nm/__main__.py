"""`python -m nm`."""

import sys

from nm.edge.main import main

sys.exit(main())
