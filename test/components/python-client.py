"""Uses the client that was generated into the wheel `flow-service`: a run, and a refusal."""
import json
import sys
import time

from service.client.api.runs import runs_get, runs_submit
from service.client.client import AuthenticatedClient
from service.client.models import Problem, Run, RunSubmit
from service.client.models.run_submit_params import RunSubmitParams

base_url, token = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token)


def submit(**params: object) -> Run | Problem | None:
    body = RunSubmit(params=RunSubmitParams.from_dict(params), seed=7)
    return runs_submit.sync("scale", client=client, body=body)


run = submit(n=4)
assert isinstance(run, Run), run
while run.status in ("queued", "running"):
    time.sleep(0.05)
    run = runs_get.sync(run.id, client=client)
    assert isinstance(run, Run), run
refused = submit(n="four")
assert isinstance(refused, Problem), refused
told = {
    "run": [run.status, run.flow, run.seed, run.result.to_dict(), [node.node for node in run.nodes]],
    "refused": [refused.status, str(refused.code), [[item.path, item.code] for item in refused.errors]],
}
print(json.dumps(told))
