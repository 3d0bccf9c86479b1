#!/bin/sh
# A run of another program, told of by hand. "#>" is what the command above prints; "..." stands for what differs each time.
# Usage: TOKEN=... sh tracking.sh [http://127.0.0.1:8000/api/v1]
set -eu
api=${1:-http://127.0.0.1:8000/api/v1}
ask() {
  curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"
}
tell() {
  ask "$api/runs/$run/track" -d "$1"
  echo
}

# Begin: the run is "running". No flow "fit" has to be there.
run=$(ask "$api/runs/track" -d '{ "flow": "fit", "params": { "lr": 0.01 }, "tags": ["baseline"] }' |
  sed 's/.*"id":"\([^"]*\)".*/\1/')

# Points of curves, what was printed, further params.
tell '{
  "seq": 1,
  "metrics": [
    { "name": "loss", "steps": [0, 1, 2], "values": [0.9, "NaN", 0.4] },
    { "name": "val/acc", "steps": [2], "values": [0.71] }
  ],
  "logs": "epoch 1\n",
  "params": { "batch": 64 }
}'
#> {"seq":1,"lease_until":"...","cancelled":false,"dropped":{}}

# The answer was not heard? The same again changes nothing.
tell '{ "seq": 1, "logs": "epoch 1\n" }'
#> {"seq":1,"lease_until":"...","cancelled":false,"dropped":{}}

# Nothing to tell, but still there: at least once a minute, better every 15 seconds.
tell '{ "seq": 2 }'
#> {"seq":2,"lease_until":"...","cancelled":false,"dropped":{}}

# Bytes are stored first, then named. A step that was there before is left out, and counted.
digest=$(printf 'weights' | ask -X PUT "$api/artifacts?name=model.pt" -H 'Content-Type: application/octet-stream' \
  --data-binary @- | sed 's/.*"digest":"\([^"]*\)".*/\1/')
tell "{
  \"seq\": 3,
  \"artifacts\": [{ \"name\": \"model.pt\", \"digest\": \"$digest\" }],
  \"metrics\": [{ \"name\": \"loss\", \"steps\": [2, 3], \"values\": [0.4, 0.3] }]
}"
#> {"seq":3,"lease_until":"...","cancelled":false,"dropped":{"loss":1}}

# The end.
tell '{ "seq": 4, "result": { "f1": 0.82 }, "status": "ok" }'
#> {"seq":4,"lease_until":null,"cancelled":false,"dropped":{}}

# From now on it is a run as any other.
ask -G "$api/runs" --data-urlencode 'filter=origin=track metrics.loss<0.5' -d 'include=results,metrics' |
  sed 's/.*"results":\({[^}]*}\).*"loss":\({[^}]*}\).*/\1 \2/'
echo
#> {"f1":0.82} {"count":4,"step":3,"last":0.3,"min":0.3,"max":0.9}
