"""`import service.mlflow as mlflow` in place of `import mlflow`."""

import unittest

from rules import HOME, NOWHERE, Rules

import service.mlflow as mlflow


class Fluent(Rules):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(mlflow.end_run)

    def test_a_run_has_what_is_logged(self) -> None:
        (self.folder / "plots" / "late").mkdir(parents=True)
        (self.folder / "plots" / "a.txt").write_text("a")
        (self.folder / "plots" / "late" / "b.txt").write_text("b")
        self.assertEqual(mlflow.set_experiment("My experiment").name, "My experiment")
        with mlflow.start_run(run_name="first", tags={"team": "vision"}) as run:
            self.assertIs(mlflow.active_run(), run)
            mlflow.log_param("lr", 0.1)
            mlflow.log_params({"layers": [8, 4], "model": ValueError})
            mlflow.log_metric("accuracy 2", 0.5)
            mlflow.log_metric("accuracy 2", 0.75)
            mlflow.log_metrics({"val/loss": 0.3}, step=7)
            mlflow.log_artifact("plots/a.txt", "plots")
            mlflow.log_artifacts("plots")
            mlflow.log_text("text", "notes/text.txt")
            mlflow.log_dict({"a": 1}, "a.json")
            mlflow.set_tag("Training Info", "two words")
        said = self.engine.the_run()
        self.assertEqual(
            [said[key] for key in ("id", "flow", "note", "status")], [run.info.run_id, "My_experiment", "first", "ok"]
        )
        self.assertEqual(said["tags"], ["team=vision", "Training_Info=two_words"])
        self.assertEqual(said["params"], {"lr": 0.1, "layers": [8, 4], "model": "<class 'ValueError'>"})
        self.assertEqual(self.engine.points("accuracy_2"), [[0, 0.5], [1, 0.75]])
        self.assertEqual(self.engine.points("val/loss"), [[7, 0.3]])
        names = [artifact["name"] for artifact in said["artifacts"]]
        self.assertEqual(names, ["plots_a.txt", "a.txt", "late_b.txt", "notes_text.txt", "a.json"])
        self.assertIsNone(mlflow.active_run())

    def test_a_run_begins_by_itself_and_ends_as_it_is_told(self) -> None:
        mlflow.log_metric("loss", 1)
        with self.assertRaisesRegex(RuntimeError, "is active: end it"):
            mlflow.start_run()
        mlflow.end_run("FAILED")
        self.assertEqual((self.engine.the_run()["status"], self.engine.points("loss")), ("error", [[0, 1]]))
        mlflow.end_run()
        with self.assertRaises(ZeroDivisionError), mlflow.start_run() as run:
            1 / 0  # noqa: B018
        self.assertEqual(self.engine.runs[run.info.run_id]["error"]["type"], "ZeroDivisionError")

    def test_anything_else_is_named(self) -> None:
        for used, name in (
            (lambda: mlflow.register_model("a", "b"), "mlflow.register_model"),
            (lambda: mlflow.set_tracking_uri("http://127.0.0.1:5000"), "mlflow.set_tracking_uri"),
            (lambda: mlflow.pytorch.autolog(), "mlflow.pytorch"),
            (lambda: mlflow.pyfunc.save_model("a"), "mlflow.pyfunc.save_model"),
            (lambda: mlflow.pyfunc.load_model("runs:/1/model"), "mlflow.pyfunc.load_model"),
            (lambda: mlflow.start_run(run_id="1"), r"mlflow.start_run\(run_id=\)"),
            (lambda: mlflow.start_run(nested=True), r"mlflow.start_run\(nested=\)"),
            (lambda: mlflow.log_metric("a", 1, model_id="m"), r"mlflow.log_metrics\(model_id=\)"),
            (lambda: mlflow.log_dict({}, "a.yaml"), "YAML"),
        ):
            with self.assertRaisesRegex(NotImplementedError, name):
                used()
        with self.assertRaisesRegex(NotImplementedError, "mlflow.MlflowClient"):
            from service.mlflow import MlflowClient  # noqa: F401
        with self.assertRaisesRegex(NotImplementedError, r"mlflow\.models is not"):
            from service.mlflow.models import infer_signature  # noqa: F401
        self.assertFalse(hasattr(mlflow, "_ipython_display_"))
        self.assertEqual(self.engine.runs, {})


def has(*modules: str) -> bool:
    from importlib.util import find_spec

    return all(find_spec(module) is not None for module in modules)


@unittest.skipUnless(has("sklearn"), "scikit-learn is not installed")
class ScikitLearn(Rules):
    def test_the_quickstart_runs_with_one_import_changed(self) -> None:
        text = (HOME / "test" / "quickstart.py").read_text()
        changed = text.replace("import mlflow\n", "import service.mlflow as mlflow\n")
        self.assertEqual(sum(a != b for a, b in zip(text.splitlines(), changed.splitlines(), strict=True)), 1)
        told = self.program(changed)
        self.assertNotIn("Traceback", told)
        automatic, by_hand = self.engine.runs.values()
        self.assertEqual({run["flow"] for run in (automatic, by_hand)}, {"MLflow_Quickstart"})
        self.assertEqual((automatic["status"], by_hand["status"]), ("ok", "ok"))
        self.assertEqual(automatic["params"]["solver"], "lbfgs")
        self.assertGreater(self.engine.curves[automatic["id"]]["training_accuracy_score"][0][1], 0.9)
        self.assertGreater(self.engine.curves[by_hand["id"]]["accuracy"][0][1], 0.9)
        self.assertIn("Training_Info=Basic_LR_model_for_iris_data", by_hand["tags"])
        self.assertEqual([artifact["name"] for artifact in by_hand["artifacts"]], ["model.pkl", "iris_model.pkl"])

    def test_a_pipeline_and_a_search_are_one_run_each_and_a_failed_fit_is_an_error(self) -> None:
        told = self.program("""
            import service.mlflow as mlflow
            from sklearn.datasets import make_regression
            from sklearn.linear_model import Ridge
            from sklearn.model_selection import GridSearchCV
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler
            mlflow.autolog()
            x, y = make_regression(40, 4, random_state=1)
            make_pipeline(StandardScaler(), Ridge(alpha=2.0)).fit(x, y)
            GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}).fit(X=x, y=y)
            try:
                Ridge().fit(x, y[:5])
            except ValueError:
                pass
            mlflow.autolog(disable=True)
            Ridge().fit(x, y)
        """)
        self.assertNotIn("Traceback", told)
        pipeline, search, failed = self.engine.runs.values()
        self.assertEqual(pipeline["params"]["ridge__alpha"], 2.0)
        self.assertGreater(self.engine.curves[pipeline["id"]]["training_r2_score"][0][1], 0.5)
        self.assertIn("estimator_name=GridSearchCV", search["tags"])
        self.assertEqual((failed["status"], failed["error"]["type"]), ("error", "ValueError"))

    def test_a_model_that_has_not_arrived_yet_is_loaded_from_where_it_waits(self) -> None:
        text = (
            (HOME / "test" / "quickstart.py")
            .read_text()
            .replace("import mlflow\n", "import service.mlflow as mlflow\n")
        )
        self.assertNotIn("Traceback", self.program(text, SERVICE_URL=NOWHERE))
        self.assertEqual(self.sync()[0], 0)
        self.assertEqual([run["status"] for run in self.engine.runs.values()], ["ok", "ok"])


@unittest.skipUnless(has("keras", "jax"), "keras with jax is not installed")
class Keras(Rules):
    def test_fit_logs_what_it_is_given_and_a_curve_of_each_metric(self) -> None:
        told = self.program(
            """
            import keras, numpy
            import service.mlflow as mlflow
            mlflow.keras.autolog()
            model = keras.Sequential([keras.Input([3]), keras.layers.Dense(1)])
            model.compile(optimizer=keras.optimizers.SGD(0.01), loss="mse", metrics=["mae"])
            x = numpy.ones((16, 3)); y = numpy.ones((16, 1))
            with mlflow.start_run():
                model.fit(x, y, batch_size=4, epochs=3, validation_split=0.25, verbose=0)
            model.fit(x, y, epochs=1, verbose=0)
            """,
            KERAS_BACKEND="jax",
        )
        self.assertNotIn("Traceback", told)
        first, second = self.engine.runs.values()
        self.assertEqual((first["status"], second["status"]), ("ok", "ok"))
        self.assertEqual([first["params"][name] for name in ("batch_size", "epochs")], [4, 3])
        self.assertAlmostEqual(first["params"]["optimizer_learning_rate"], 0.01)
        curves = self.engine.curves[first["id"]]
        self.assertEqual(sorted(curves), ["loss", "mae", "val_loss", "val_mae"])
        self.assertEqual([step for step, _ in curves["loss"]], [0, 1, 2])
        self.assertLess(curves["loss"][2][1], curves["loss"][0][1])
        self.assertEqual([file["name"] for file in first["artifacts"]], ["model_summary.txt", "model.keras"])


if __name__ == "__main__":
    unittest.main()
