"""`python -m yarnbox.client`: the `yarn` command."""

import sys

from yarnbox.client.main import main

sys.exit(main())
