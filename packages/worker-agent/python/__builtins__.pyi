"""The helpers that node code has without an import, for editors; see the README."""

from service import emit as emit
from service import load_artifact as load_artifact
from service import save_artifact as save_artifact
from service import to_numpy as to_numpy
