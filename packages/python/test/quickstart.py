"""What the quickstart of MLflow does, in its order: autologging, a run by hand, and its model loaded again."""

import mlflow
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

mlflow.set_experiment("MLflow Quickstart")
features, kinds = datasets.load_iris(return_X_y=True)
fit_x, test_x, fit_y, test_y = train_test_split(features, kinds, test_size=0.2, random_state=42)
given = {"solver": "lbfgs", "max_iter": 1000, "random_state": 8888}

mlflow.sklearn.autolog()
LogisticRegression(**given).fit(fit_x, fit_y)

with mlflow.start_run():
    mlflow.log_params(given)
    model = LogisticRegression(**given)
    model.fit(fit_x, fit_y)
    info = mlflow.sklearn.log_model(sk_model=model, name="iris_model")
    mlflow.log_metric("accuracy", accuracy_score(test_y, model.predict(test_x)))
    mlflow.set_tag("Training Info", "Basic LR model for iris data")

again = mlflow.pyfunc.load_model(info.model_uri)
assert (again.predict(test_x) == model.predict(test_x)).all()
assert (mlflow.sklearn.load_model(info.model_uri).predict(test_x) == model.predict(test_x)).all()
