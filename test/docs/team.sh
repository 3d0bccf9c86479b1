#!/bin/sh
# A team shares an engine. "#>" is what the command above prints; "..." stands for what differs each time.
# Usage: API=http://127.0.0.1:8000/api/v1 EMAIL=... PASSWORD=... MAILS=... WEBHOOK=... HEARD=... sh team.sh
# $MAILS has a file with the latest mail to each address; whoever hears $WEBHOOK writes to the file $HEARD.
set -eu
export SERVICE_URL="$API"

# Small helpers: sign in, ask as whoever $SERVICE_TOKEN says, and take the link out of a mail.
sign_in() {
  curl -sS --fail-with-body "$API/login/access-token" -d "username=$1" --data-urlencode "password=$2" |
    sed 's/.*"access_token":"\([^"]*\)".*/\1/'
}
ask() { curl -sS -H "Authorization: Bearer $SERVICE_TOKEN" -H 'Content-Type: application/json' "$@"; }
refusal() { sed 's/.*"required_scope":"\([^"]*\)".*"status":\([0-9]*\).*"code":"\([^"]*\)".*/\2 \3 \1/'; echo; }
token_in_mail() {
  until [ -s "$MAILS/$1" ]; do sleep 0.1; done
  sed -n 's/.*#token=//p' "$MAILS/$1"
  rm "$MAILS/$1"
}

# The first superuser invites two people, by mail.
SERVICE_TOKEN=$(sign_in "$EMAIL" "$PASSWORD")
export SERVICE_TOKEN
service users add anna@example.com --superuser
#> Added anna@example.com; a mail with the invite is on its way.
service users add ben@example.com
#> Added ben@example.com; a mail with the invite is on its way.

# Each sets a password, by the link of the mail. The page behind the link sends this:
set_password() {
  curl -sS "$API/reset-password/" -H 'Content-Type: application/json' \
    -d "{\"token\": \"$(token_in_mail "$1")\", \"new_password\": \"$2\"}"
  echo
}
set_password anna@example.com 'a fine day in spring'
#> {"message":"The password is set. Sign in with it."}
set_password ben@example.com 'forgotten by tomorrow'
#> {"message":"The password is set. Sign in with it."}

# Ben forgets his, and asks for another link.
curl -sS -X POST "$API/password-recovery/ben@example.com"; echo
#> {"message":"If there is an account with this address, a mail is on its way to it."}
set_password ben@example.com 'rain from the west'
#> {"message":"The password is set. Sign in with it."}

# Anna publishes a flow. Its code takes a superuser.
SERVICE_TOKEN=$(sign_in anna@example.com 'a fine day in spring')
ask -o /dev/null -X PUT "$API/flows/evaluate" -d '{
  "mode": "batch",
  "inputs": [{ "name": "score", "dtype": "float", "initial": 1 }],
  "outputs": [{ "name": "verdict" }],
  "nodes": [{
    "id": "judge", "type": "python",
    "source": "def run(score):\n    if score < 0.9:\n        raise ValueError(f\"{score} is below 0.9\")\n    return \"good\"\n",
    "ports": [
      { "direction": "input", "name": "score", "dtype": "float" },
      { "direction": "output", "name": "verdict", "dtype": "str" }
    ]
  }]
}'
service flows publish evaluate
#> published evaluate, version 1, ready

# She wants to hear of runs that fail, and makes a key for the pipeline.
service alerts set --webhook "$WEBHOOK" --header x-from=engine --event run_error >/dev/null
service alerts on
#> Alerts are on: webhook.
ci=$(service keys create ci --scope runs:read --scope runs:write --days 90)

# The pipeline submits a run. It fails, and the alert arrives.
run=$(SERVICE_TOKEN=$ci ask "$API/runs/flows/evaluate" -d '{ "params": { "score": 0.7 } }' |
  sed 's/.*"id":"\([^"]*\)".*/\1/')
until [ -s "$HEARD" ]; do sleep 0.1; done
cat "$HEARD"
#> error run_error x1: a run of flow "evaluate" has ended with an error (ValueError: 0.7 is below 0.9)
SERVICE_TOKEN=$ci service runs delete "$run"
#> ... deleted

# It publishes nothing: the key lacks the scope.
SERVICE_TOKEN=$ci ask "$API/flows/evaluate/publish" -d '{ "version": 1 }' | refusal
#> 403 forbidden flows:publish

# Ben, an ordinary user, makes a dashboard of the flow's results.
SERVICE_TOKEN=$(sign_in ben@example.com 'rain from the west')
service dashboards from-flow evaluate
#> made evaluate_results, version 1 of the results of evaluate

# He lets an agent draft flows. It cannot publish what it has drafted: he looks at it, and does.
agent=$(service oauth token --client desk --scope "flows:read flows:write")
SERVICE_TOKEN=$agent ask -o /dev/null -w '%{http_code}\n' -X PUT "$API/flows/idea" -d '{ "version": 0 }'
#> 201
SERVICE_TOKEN=$agent ask "$API/flows/idea/publish" -d '{ "version": 1 }' | refusal
#> 403 forbidden flows:publish
service flows publish idea
#> published idea, version 1, stopped

# Who did what, the latest first; here without the times and the details.
SERVICE_TOKEN=$(sign_in anna@example.com 'a fine day in spring')
service audit | sed 's/^\(AT\|[-0-9 ]*:..:..\) *//; s/  *[^ ]*: .*//'
#> WHO                         DID                FLOW      DETAIL
#> ben@example.com             flow.publish       idea
#> ben@example.com             oauth.mint         -
#> ben@example.com             dashboard.publish  -
#> ben@example.com             dashboard.create   -
#> key ci of anna@example.com  run.delete         evaluate
#> anna@example.com            key.create         -
#> anna@example.com            alerts.put         -
#> anna@example.com            alerts.put         -
#> anna@example.com            flow.publish       evaluate
#> ben@example.com             user.password      -
#> ben@example.com             user.password      -
#> anna@example.com            user.password      -
#> admin@localhost             user.create        -
#> admin@localhost             user.create        -
