"""One hidden layer, trained by stochastic gradient descent; the seed decides the first weights and the order."""

import json
import math
import random


def run(rows, lr, epochs, seed, hidden):
    data = [tuple(map(float, line.split(","))) for line in load_artifact(rows).decode().splitlines()]
    rng = random.Random(seed)
    layer = [[rng.uniform(-1, 1) for _ in range(3)] for _ in range(hidden)]
    out = [rng.uniform(-1, 1) for _ in range(hidden + 1)]
    right = 0
    for _ in range(epochs):
        loss, right = 0.0, 0
        for _ in range(len(data)):
            x, y, label = rng.choice(data)
            h = [math.tanh(a * x + b * y + c) for a, b, c in layer]
            p = 1 / (1 + math.exp(-sum(v * w for v, w in zip(h, out)) - out[hidden]))
            loss -= math.log(max(1e-12, p if label else 1 - p))
            right += (p > 0.5) == (label == 1)
            error = p - label
            for i, v in enumerate(h):
                back = error * out[i] * (1 - v * v)
                out[i] -= lr * error * v
                layer[i] = [w - lr * back * s for w, s in zip(layer[i], (x, y, 1.0))]
            out[hidden] -= lr * error
        yield {"loss": loss / len(data)}  # one point of the curve an epoch
    model = json.dumps({"layer": layer, "out": out}).encode()
    return {
        "accuracy": right / len(data),
        "model": save_artifact(model, name="model.json", media_type="application/json"),
    }
