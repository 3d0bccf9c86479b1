"""Fits a plane to noisy points by gradient descent, once for each rate of its arguments, and is a run each time."""

import sys

import numpy as np
from service import track

points = np.random.default_rng(7)
x = points.normal(size=(200, 3))
y = x @ [1.5, -2.0, 0.5] + points.normal(scale=0.1, size=200)

for rate in map(float, sys.argv[1:]):
    with track.run("fit_plane", params={"lr": rate, "points": len(y)}, tags=["example"]) as run:
        weights = np.zeros(3)
        for _ in range(40):
            error = x @ weights - y
            run.log(loss=np.mean(error**2))
            weights -= rate * x.T @ error / len(y)
        np.save("weights.npy", weights)
        run.artifact("weights.npy")
        run.result(weights=weights)
