"""`python -m yarnbox.rm`: a ResourceManager's process."""

import sys

from yarnbox.rm.edge.process import main

if __name__ == "__main__":
    sys.exit(main())
