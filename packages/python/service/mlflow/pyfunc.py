"""`mlflow.pyfunc`: models that runs have stored, to predict with."""

import hashlib
import pickle
import re
from typing import Any

from .._engine import find_engine, service_folder
from . import missing


class PyFuncModel:
    """A model that predicts."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def predict(self, data: Any, params: Any = None) -> Any:
        """What the model makes of the data."""
        if params is not None:
            raise NotImplementedError("mlflow.pyfunc.PyFuncModel.predict(params=) is not part of service.mlflow")
        return self._model.predict(data)

    def unwrap_python_model(self) -> Any:
        """The model itself."""
        return self._model


def load_model(model_uri: str) -> PyFuncModel:
    """The model that `log_model` has stored. Pickles execute code: load what you have stored yourself."""
    return PyFuncModel(pickle.loads(fetched(model_uri)))


def fetched(model_uri: str) -> bytes:
    """The bytes of a model, by the digest in the URI: on their way in this folder, else at the engine."""
    found = re.fullmatch(r"models:/(sha256:([0-9a-f]{64}))", model_uri)
    if found is None:
        raise NotImplementedError(
            f"mlflow.pyfunc.load_model({model_uri!r}): service.mlflow knows URIs of its log_model"
        )
    waiting = service_folder().glob(f"track/*.files/{found[2]}")
    data = next((path.read_bytes() for path in waiting), None)
    if data is None:
        data = find_engine().bytes_of(found[1])
    if hashlib.sha256(data).hexdigest() != found[2]:
        raise ValueError(f"{model_uri}: these are other bytes")
    return data


def __getattr__(name: str) -> Any:
    missing(name, "mlflow.pyfunc")
