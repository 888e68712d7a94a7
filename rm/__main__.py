"""`python -m rm`: a ResourceManager's process."""

import sys

from rm.edge.process import main

if __name__ == "__main__":
    sys.exit(main())
