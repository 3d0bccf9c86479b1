"""`mlflow.keras`: trainings by `fit` of Keras 3, logged by a callback."""

import functools
import sys
import tempfile
from pathlib import Path
from typing import Any

import keras

from .. import mlflow
from . import missing

_original: Any = None


class MlflowCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Logs what a training is given, and what it reaches after each epoch, or after every so many batches."""

    def __init__(self, log_every_epoch: bool = True, log_every_n_steps: int | None = None) -> None:
        super().__init__()
        self._every_epoch = log_every_epoch
        self._every_n_steps = log_every_n_steps
        self._step = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """The optimizer, and the layers as a file."""
        run = mlflow._run()
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None:
            config = optimizer.get_config().items()
            run.params({f"optimizer_{name}": mlflow._param(value) for name, value in config})
        lines: list[str] = []
        self.model.summary(print_fn=lambda line, *args, **options: lines.append(line))
        mlflow.log_text("\n".join(lines), "model_summary.txt")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """A point of each curve."""
        if self._every_epoch and logs:
            mlflow.log_metrics(logs, step=epoch)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A point of each curve, after every so many batches."""
        self._step += 1
        if self._every_n_steps and self._step % self._every_n_steps == 0 and logs:
            mlflow.log_metrics({f"batch_{name}": value for name, value in logs.items()}, step=self._step)


def autolog(
    log_every_epoch: bool = True,
    log_every_n_steps: int | None = None,
    disable: bool = False,
    silent: bool = False,
    log_models: bool = True,
    **other: Any,
) -> None:
    """From now on `fit` of every model logs its options, its optimizer, a curve of each metric, and with `log_models`
    the model as `model.keras`; into the active run, else into one of its own."""
    global _original
    mlflow._nothing_else("keras.autolog", other)
    # models have the `fit` of the trainer of their backend
    if _original is not None:
        keras.Model.fit = _original
        _original = None
    if disable:
        return
    _original = original = keras.Model.fit

    @functools.wraps(original)
    def fit(self: Any, *args: Any, **options: Any) -> Any:
        own = mlflow.active_run() is None
        run = mlflow._run()
        try:
            names = ("batch_size", "epochs", "validation_split", "shuffle", "initial_epoch", "steps_per_epoch")
            run.params({name: options[name] for name in names if options.get(name) is not None})
            given = list(options.pop("callbacks", None) or [])
            if not any(isinstance(each, MlflowCallback) for each in given):
                given.append(MlflowCallback(log_every_epoch, log_every_n_steps))
            history = original(self, *args, callbacks=given, **options)
            if log_models:
                _log_model(self)
        except BaseException:
            if own and (active := mlflow.active_run()) is not None:
                active.__exit__(*sys.exc_info())
            raise
        if own:
            mlflow.end_run()
        return history

    keras.Model.fit = fit


def _log_model(model: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        model.save(path)
        mlflow._run().artifact(path)


def __getattr__(name: str) -> Any:
    missing(name, "mlflow.keras")
