"""`mlflow.sklearn`: what estimators of scikit-learn are given and reach, logged by `fit`; models as files of runs."""

import contextlib
import functools
import inspect
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .. import mlflow
from . import missing
from .pyfunc import fetched

_fits = threading.local()
_originals: dict[type, Any] = {}


def autolog(disable: bool = False, silent: bool = False, log_models: bool = True, **other: Any) -> None:
    """From now on `fit` of every estimator logs its params, its scores on the data of the training, and its model; into
    the active run, else into one of its own. What `fit` itself calls logs nothing."""
    mlflow._nothing_else("sklearn.autolog", other)
    for kind, original in _originals.items():
        kind.fit = original  # type: ignore[attr-defined]
    _originals.clear()
    if disable:
        return
    import sklearn.pipeline
    from sklearn.utils import all_estimators

    kinds = {kind for _, kind in all_estimators()} | {sklearn.pipeline.Pipeline}
    # where `fit` is inherited, that of the base class is the one that logs
    for kind in kinds:
        for base in kind.__mro__:
            if callable(vars(base).get("fit")):
                if base not in _originals:
                    _originals[base] = vars(base)["fit"]
                    base.fit = _logging(_originals[base], log_models)
                break


def log_model(sk_model: Any, artifact_path: str | None = None, name: str | None = None, **other: Any) -> Any:
    """An estimator as a file of the run: `<name>.pkl`. `model_uri` of what it gives names it for `load_model`."""
    ignored = ("signature", "input_example", "params", "tags", "model_type", "step")
    mlflow._nothing_else("sklearn.log_model", {key: value for key, value in other.items() if key not in ignored})
    name = name or artifact_path or "model"
    run = mlflow._run()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pkl"
        path.write_bytes(pickle.dumps(sk_model))
        digest = run.artifact(path, f"{mlflow._file(None, name)}.pkl", "application/octet-stream")
    return SimpleNamespace(model_uri=f"models:/{digest}", run_id=run.id, artifact_path=name, name=name)


def load_model(model_uri: str) -> Any:
    """The estimator that `log_model` has stored. Its bytes are those of the digest in the URI; like all pickles they
    execute code, so load what you have stored yourself."""
    return pickle.loads(fetched(model_uri))


def _logging(original: Callable[..., Any], log_models: bool) -> Callable[..., Any]:
    @functools.wraps(original)
    def fit(self: Any, *args: Any, **options: Any) -> Any:
        if getattr(_fits, "within", False):
            return original(self, *args, **options)
        _fits.within = True
        own = mlflow.active_run() is None
        run = mlflow._run()
        try:
            run.params(_params(self))
            fitted = original(self, *args, **options)
            _log_scores(run, self, original, args, options)
            if log_models:
                with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
                    log_model(self)
        except BaseException:
            if own and (active := mlflow.active_run()) is not None:
                active.__exit__(*sys.exc_info())
            raise
        finally:
            _fits.within = False
        if own:
            mlflow.end_run()
        return fitted

    return fit


def _params(estimator: Any) -> dict[str, Any]:
    with contextlib.suppress(Exception):
        return {name: mlflow._param(value) for name, value in estimator.get_params(deep=True).items()}
    return {}


def _log_scores(run: Any, estimator: Any, original: Any, args: Any, options: Any) -> None:
    """Scores on what it was trained with. What an estimator cannot score is left out: the training has succeeded."""
    mlflow.set_tag("estimator_name", type(estimator).__name__)
    try:
        given = inspect.signature(original).bind(estimator, *args, **options).arguments
    except TypeError:
        return
    names = [name for name in given if name != "self"]
    x, y = (given.get(name) for name in [*names, "", ""][:2])
    if y is None or not hasattr(estimator, "predict"):
        return
    from sklearn import base, metrics

    scores: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        scores["training_score"] = estimator.score(x, y)
    with contextlib.suppress(Exception):
        told = estimator.predict(x)
        if base.is_classifier(estimator):
            for score in ("precision", "recall", "f1"):
                scores[f"training_{score}_score"] = getattr(metrics, f"{score}_score")(
                    y, told, average="weighted", zero_division=0
                )
            scores["training_accuracy_score"] = metrics.accuracy_score(y, told)
        elif base.is_regressor(estimator):
            scores["training_mean_squared_error"] = metrics.mean_squared_error(y, told)
            scores["training_root_mean_squared_error"] = metrics.mean_squared_error(y, told) ** 0.5
            scores["training_mean_absolute_error"] = metrics.mean_absolute_error(y, told)
            scores["training_r2_score"] = metrics.r2_score(y, told)
    if scores:
        run.log(scores)


def __getattr__(name: str) -> Any:
    missing(name, "mlflow.sklearn")
