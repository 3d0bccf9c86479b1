#!/bin/sh
# Live control by hand. "#>" is what the command above prints; "..." stands for what differs each time.
# Usage: TOKEN=... sh live-control.sh [http://127.0.0.1:8000/api/v1]
set -eu
api=${1:-http://127.0.0.1:8000/api/v1}
ask() {
  curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"
  echo
}

# A flow: temperatures are rounded, and one that is too warm rings a bell that nobody has connected.
ask -X PUT "$api/flows/freezer" -d '{
  "inputs": [{ "name": "temp", "dtype": "float" }],
  "nodes": [
    {
      "id": "round", "type": "change", "settings": { "round_to": 0 },
      "ports": [
        { "direction": "input", "name": "temp", "dtype": "float" },
        { "direction": "output", "name": "rounded", "dtype": "float" }
      ]
    },
    {
      "id": "limit", "type": "switch",
      "settings": { "rules": [{ "operator": "gt", "value": -15, "output": "warm" }] },
      "ports": [
        { "direction": "input", "name": "rounded", "dtype": "float" },
        { "direction": "output", "name": "warm", "dtype": "float" }
      ]
    },
    {
      "id": "bell", "type": "http", "settings": { "url": "http://127.0.0.1:9/ring" },
      "ports": [{ "direction": "input", "name": "warm", "dtype": "float" }]
    }
  ]
}' >/dev/null

# Try the draft by itself: its nodes act for real, nothing is recorded, and no other flow hears of it.
ask "$api/flows/freezer/run" -d '{ "inputs": { "temp": -18.4 } }' | sed 's/,"nodes".*/}/'
#> {"cascade":"...","status":"ok","values":{"freezer.temp":-18.4,"freezer.rounded":-18}}

# Publish it and start it. It is active from now on, after a restart of the engine too.
ask "$api/flows/freezer/publish" -d '{ "version": 1 }' >/dev/null
ask -X POST "$api/flows/freezer/start"
#> {"name":"freezer","status":"active","held":0}

# Pause it: what comes is held.
ask -X POST "$api/flows/freezer/pause"
#> {"name":"freezer","status":"paused","held":0}
ask "$api/messages/freezer.temp" -d '{ "value": -18.4 }'
#> {"name":"freezer.temp","value":-18.4,"ts":"...","cascade":"..."}

# Walk: one delivery is released, and what follows from it is held again.
ask -X POST "$api/flows/freezer/step"
#> {"name":"freezer","status":"paused","held":1,"released":1}
ask -X POST "$api/flows/freezer/step"
#> {"name":"freezer","status":"paused","held":0,"released":1}

# Go on: what is held is delivered in order.
ask -X POST "$api/flows/freezer/resume"
#> {"name":"freezer","status":"active","held":0}

# Feed a node, whoever else would. The answer names the cascade that begins.
ask "$api/flows/freezer/nodes/limit/trigger" -d '{ "values": { "rounded": -2 } }'
#> {"cascade":"..."}

# The bell cannot be reached: the node is marked, and goes on working.
until ask "$api/flows/freezer" | grep -q '"status":"failed"'; do sleep 0.1; done
ask -X POST "$api/flows/freezer/nodes/bell/acknowledge"
#> {"flow":"freezer","node":"bell","status":"idle","health":"ok","message":null,"error":null}

# End what a node executes; there is nothing to end now.
ask -X POST "$api/flows/freezer/nodes/bell/cancel"
#> {"cancelled":0}

ask -X POST "$api/flows/freezer/stop"
#> {"name":"freezer","status":"stopped","held":0}
