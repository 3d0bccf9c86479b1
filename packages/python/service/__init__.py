"""flow-service from scripts and notebooks: `from service import track`, `import service.mlflow as mlflow`.

Node code of a flow has another module of this name, which its runner brings, and never meets this one. What node code
imports from it is here as well, so that files with node code can be imported and tested outside of a flow.
"""

from typing import Any, NoReturn

__all__ = ["emit", "load_artifact", "save_artifact", "to_numpy"]


def emit(values: Any = None, /, **ports: Any) -> NoReturn:
    """Belongs to node code; here it raises RuntimeError."""
    raise RuntimeError("emit() works only while the node executes; in a script use run.log() of service.track")


def save_artifact(*args: Any, **options: Any) -> NoReturn:
    """Belongs to node code; here it raises RuntimeError."""
    raise RuntimeError(
        "save_artifact() works only while the node executes; in a script use run.artifact() of service.track"
    )


def load_artifact(ref: Any) -> NoReturn:
    """Belongs to node code; here it raises RuntimeError."""
    raise RuntimeError("load_artifact() works only while the node executes")


def to_numpy(ref: Any) -> NoReturn:
    """Belongs to node code; here it raises RuntimeError."""
    raise RuntimeError("to_numpy() works only while the node executes")
