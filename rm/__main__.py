"""`python -m yarnbox.rm`: a ResourceManager's process."""

from yarnbox.rm.edge.process import main
from yarnbox.yarn.runtime.interpreter import leave

if __name__ == "__main__":
    leave(main())
