"""Tells as JSON what this interpreter has: where it looks, its packages, and which of them a name to import comes from."""

import json
import sys
from importlib import metadata

packages = {}
for distribution in metadata.distributions():
    # of two of a name the first one is imported
    packages.setdefault(distribution.metadata["Name"], distribution.version)
packages.pop(None, None)
imports = {name: sorted(set(found)) for name, found in metadata.packages_distributions().items()}
json.dump({"folders": [path for path in sys.path if path], "packages": packages, "imports": imports}, sys.stdout)
