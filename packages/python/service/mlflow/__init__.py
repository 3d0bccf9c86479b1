"""The part of MLflow's fluent interface that trainings call, over tracked runs: `import service.mlflow as mlflow`.

An experiment is the name that runs are listed under, a tag is a word `name=value`, the name of a run is its note. What
is not here raises NotImplementedError with its name: nothing is left out in silence.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, NoReturn, Self

from .. import track
from ..track import Status
from ..track._sender import say

__all__ = [
    "ActiveRun",
    "active_run",
    "autolog",
    "end_run",
    "last_active_run",
    "log_artifact",
    "log_artifacts",
    "log_dict",
    "log_metric",
    "log_metrics",
    "log_param",
    "log_params",
    "log_text",
    "set_experiment",
    "set_tag",
    "set_tags",
    "start_run",
]

_MODULES = ("keras", "pyfunc", "sklearn")
_STATUSES: dict[str, Status] = {"FINISHED": "ok", "FAILED": "error", "KILLED": "cancelled"}

_experiment: str | None = None
_active: "ActiveRun | None" = None
_last: "ActiveRun | None" = None


class ActiveRun:
    """The run that is written to: `info.run_id` names it, and a `with` ends it."""

    def __init__(self, run: track.Run, name: str) -> None:
        self._run = run
        self.info = SimpleNamespace(
            run_id=run.id, run_uuid=run.id, run_name=name, experiment_id=run.flow, status="RUNNING"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if _active is self:
            _end(lambda: self._run.__exit__(kind, error, at))
        self.info.status = "FINISHED" if error is None else "FAILED"


def set_experiment(experiment_name: str | None = None, experiment_id: str | None = None, **other: Any) -> Any:
    """Names the runs to come; what a name of a flow cannot have becomes "_"."""
    global _experiment
    _nothing_else("set_experiment", other)
    name = experiment_name if experiment_name is not None else experiment_id
    if not name:
        raise ValueError("give an experiment_name")
    _experiment = _flow(name)
    return SimpleNamespace(name=name, experiment_id=_experiment)


def start_run(
    run_id: str | None = None,
    experiment_id: str | None = None,
    run_name: str | None = None,
    nested: bool = False,
    parent_run_id: str | None = None,
    tags: Mapping[str, Any] | None = None,
    description: str | None = None,
    log_system_metrics: bool | None = None,
) -> ActiveRun:
    """Begins a run. One is active at a time."""
    global _active, _last
    _nothing_else("start_run", {"run_id": run_id, "parent_run_id": parent_run_id, "nested": nested or None})
    _nothing_else("start_run", {"log_system_metrics": log_system_metrics or None})
    if _active is not None:
        raise RuntimeError(f"run {_active.info.run_id} is active: end it with mlflow.end_run()")
    flow = _flow(experiment_id) if experiment_id else _experiment or _flow(os.environ.get("MLFLOW_EXPERIMENT_NAME", ""))
    note = "\n\n".join(part for part in (run_name, description) if part)
    run = track.run(flow, tags=[_tag(name, value) for name, value in (tags or {}).items()], note=note)
    _active = _last = ActiveRun(run, run_name or run.id)
    return _active


def end_run(status: str = "FINISHED") -> None:
    """Ends the active run, where there is one."""
    if status not in _STATUSES:
        raise ValueError(f"status {status!r}: use {', '.join(_STATUSES)}")
    active = _active
    if active is not None:
        _end(lambda: active._run.end(_STATUSES[status]))
        active.info.status = status


def active_run() -> ActiveRun | None:
    """The run that is written to."""
    return _active


def last_active_run() -> ActiveRun | None:
    """The run that is written to, else the one that was last."""
    return _last


def log_param(key: str, value: Any, synchronous: bool | None = None) -> Any:
    """A param of the run; numbers stay numbers."""
    log_params({key: value})
    return value


def log_params(params: Mapping[str, Any], synchronous: bool | None = None, run_id: str | None = None) -> None:
    """Params of the run by name."""
    _nothing_else("log_params", {"run_id": run_id})
    _run().params({str(key): _param(value) for key, value in params.items()})


def log_metric(
    key: str,
    value: float,
    step: int | None = None,
    synchronous: bool | None = None,
    timestamp: int | None = None,
    run_id: str | None = None,
    **other: Any,
) -> None:
    """A point of a curve; without a step behind the last one. What a name of a curve cannot have becomes "_"."""
    log_metrics({key: value}, step, synchronous, run_id, timestamp, **other)


def log_metrics(
    metrics: Mapping[str, Any],
    step: int | None = None,
    synchronous: bool | None = None,
    run_id: str | None = None,
    timestamp: int | None = None,
    **other: Any,
) -> None:
    """A point of each curve; a point has the time at which it is logged."""
    _nothing_else("log_metrics", {"run_id": run_id, "timestamp": timestamp, **other})
    _run().log({_curve(key): value for key, value in metrics.items()}, step=step)


def log_artifact(local_path: str, artifact_path: str | None = None, run_id: str | None = None) -> None:
    """A file of the run, or all files of a folder; "/" in a name becomes "_"."""
    _nothing_else("log_artifact", {"run_id": run_id})
    path = Path(local_path)
    if path.is_dir():
        log_artifacts(local_path, "/".join(part for part in (artifact_path, path.name) if part))
    else:
        _run().artifact(path, _file(artifact_path, path.name))


def log_artifacts(local_dir: str, artifact_path: str | None = None, run_id: str | None = None) -> None:
    """All files of a folder, by their paths in it."""
    _nothing_else("log_artifacts", {"run_id": run_id})
    folder = Path(local_dir)
    if not folder.is_dir():
        raise NotADirectoryError(f"{local_dir} is no folder")
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            _run().artifact(file, _file(artifact_path, file.relative_to(folder).as_posix()))


def log_text(text: str, artifact_file: str, run_id: str | None = None) -> None:
    """A text as a file of the run."""
    _nothing_else("log_text", {"run_id": run_id})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text(text, encoding="utf-8")
        _run().artifact(path, _file(None, artifact_file))


def log_dict(dictionary: Any, artifact_file: str, run_id: str | None = None) -> None:
    """A value as a file of JSON."""
    if artifact_file.endswith((".yml", ".yaml")):
        raise NotImplementedError("mlflow.log_dict with YAML is not part of service.mlflow: name the file .json")
    log_text(json.dumps(dictionary, indent=2, default=str), artifact_file, run_id)


def set_tag(key: str, value: Any, synchronous: bool | None = None) -> None:
    """A word to find the run by: `key=value`, without white space."""
    set_tags({key: value})


def set_tags(tags: Mapping[str, Any], synchronous: bool | None = None) -> None:
    """Words to find the run by. Those beyond the 32 that a run has are told, and left out."""
    try:
        _run().tag(*(_tag(key, value) for key, value in tags.items()))
    except ValueError as error:
        say(f"{', '.join(tags)}: {error}")


def autolog(disable: bool = False, silent: bool = False, **other: Any) -> None:
    """`autolog` of scikit-learn and Keras, of those that can be imported; the other is told."""
    _nothing_else("autolog", other)
    for name in ("sklearn", "keras"):
        if find_spec(name) is None:
            continue
        try:
            module = import_module(f"{__name__}.{name}")
        except ImportError as error:
            say(f"nothing of {name} is logged: {error}")
        else:
            module.autolog(disable=disable)


def _run() -> track.Run:
    """The active run; one begins where there is none, as MLflow does."""
    return (_active or start_run())._run


def _end(ends: Any) -> None:
    global _active
    _active = None
    ends()


def _flow(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).lstrip("_-")[:100] or "Default"


def _curve(name: str) -> str:
    written = re.sub(r"[^A-Za-z0-9_/-]", "_", str(name))[:100]
    return written if re.match(r"[A-Za-z_]", written) else f"_{written}"[:100]


def _tag(name: str, value: Any) -> str:
    return re.sub(r"\s+", "_", f"{name}={value}".strip())[:64]


def _file(folder: str | None, name: str) -> str:
    return "_".join(part for part in f"{folder or ''}/{name}".split("/") if part)[:255]


def _param(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)) or hasattr(value, "item"):
        return value
    if isinstance(value, (list, tuple, dict)):
        return value
    return str(value)


def _nothing_else(function: str, given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"mlflow.{function}({name}=) is not part of service.mlflow")


class _Missing(MetaPathFinder):
    """Modules of MLflow that are not here, by name; asked after those that are."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname.startswith(f"{__name__}."):
            missing(fullname.removeprefix(f"{__name__}."))


sys.meta_path.append(_Missing())


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    missing(name)


def missing(name: str, module: str = "mlflow") -> NoReturn:
    """Raises NotImplementedError for a name of MLflow; AttributeError for one that tools ask every module for."""
    if name.startswith("_"):
        raise AttributeError(f"module {module} has no attribute {name!r}")
    raise NotImplementedError(f"{module}.{name} is not part of service.mlflow")
