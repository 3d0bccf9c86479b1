"""Modules that a source brings with it, in comments at its end; see python-source.ts of protocol."""

import json
import linecache
import sys
from importlib.machinery import ModuleSpec, PathFinder

MARK = "\n#@module "


def install(source):
    """Makes the modules of a source importable, before those that are installed."""
    if MARK not in source:
        return
    modules = {}
    for line in source.split(MARK)[1:]:
        path, text = json.loads(line.partition("\n")[0])
        *parents, name = path.removesuffix(".py").split("/")
        for depth in range(1, len(parents) + 1):
            # A directory without __init__.py is a package too.
            modules.setdefault(".".join(parents[:depth]), (None, "", True))
        package = name == "__init__"
        modules[".".join(parents if package else [*parents, name])] = (path, text, package)
    sys.meta_path.insert(sys.meta_path.index(PathFinder), Finder(modules))


class Finder:
    """Finds and loads modules by name: their path, their text, and whether they are packages."""

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        file, _, package = self.modules[name]
        spec = ModuleSpec(name, self, origin=file, is_package=package)
        spec.has_location = file is not None
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file, text, _ = self.modules[module.__name__]
        if file is None:
            return
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec", dont_inherit=True), vars(module))

    def get_source(self, name):
        return self.modules[name][1]
