"""`python -m yarnbox.nm`."""

from yarnbox.nm.edge.main import main
from yarnbox.yarn.runtime.interpreter import leave

leave(main())
