"""What `yarnbox walk` starts."""

import sys

from yarnbox.testing.walk.command import main

sys.exit(main())
