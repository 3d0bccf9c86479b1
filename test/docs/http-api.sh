#!/bin/sh
# The HTTP API by hand. Usage: EMAIL=... PASSWORD=... sh http-api.sh [http://127.0.0.1:8000/api/v1]
set -eu
api=${1:-http://127.0.0.1:8000/api/v1}

# Sign in.
token=$(curl -sS --fail-with-body "$api/login/access-token" -d "username=$EMAIL" -d "password=$PASSWORD" |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# One way to ask: with the token, as JSON; a refusal ends the script.
ask() {
  curl -sS --fail-with-body -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"
}

# Save a draft. Version 0 says that there is no such flow yet.
ask -X PUT "$api/flows/fahrenheit" -d '{
  "version": 0,
  "mode": "batch",
  "inputs": [{ "name": "celsius", "dtype": "float", "initial": 20 }],
  "outputs": [{ "name": "fahrenheit" }],
  "nodes": [
    {
      "id": "convert",
      "type": "change",
      "settings": { "scale": 1.8, "offset": 32, "round_to": 1 },
      "ports": [
        { "direction": "input", "name": "celsius", "dtype": "float" },
        { "direction": "output", "name": "fahrenheit", "dtype": "float" }
      ]
    }
  ]
}' >/dev/null

# Publish the version that was saved.
ask "$api/flows/fahrenheit/publish" -d '{ "version": 1 }' >/dev/null

# Submit a run; the answer is the queued run.
run=$(ask "$api/runs/flows/fahrenheit" -d '{ "params": { "celsius": 31.5 } }' |
  sed 's/.*"id":"\([^"]*\)".*/\1/')

# Read it until it is finished. The event socket tells the same without asking.
while ask "$api/runs/$run" | grep -qE '"status":"(queued|running)"'; do sleep 0.1; done
ask "$api/runs/$run"
