"""`python -m yarnbox.nm`."""

from yarnbox.nm.edge.main import main
from yarnbox.yarn.runtime.leaving import leave

leave(main())
