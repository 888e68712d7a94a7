"""`python -m client`: the `yarn` command."""

import sys

from client.main import main

sys.exit(main())
