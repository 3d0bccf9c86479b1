set -eu
API=$1  # http://10.0.0.5:8000/api/v1

# the board asks, and shows code and check
answer=$(curl -sS -X POST "$API/devices/pair" -H 'content-type: application/json' \
  -d '{"name": "Porch", "board": "esp32-s3", "firmware": "1.4.0"}')
field() { printf %s "$answer" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
code=$(field code) secret=$(field secret)
echo "code $code, check $(field check)"

# it polls every two seconds: 404 means that the code is none any more, and it asks anew
curl -sS "$API/devices/pair/$code" -H "authorization: Bearer $secret"; echo
#> {"status":"waiting","device":null,"panel":null}

# meanwhile a person, who is signed in, makes the device and adopts the board by its code
curl -sS -o /dev/null -X POST "$API/devices/porch" -H "authorization: Bearer $TOKEN"
curl -sS -o /dev/null -X POST "$API/devices/porch/pair" -H "authorization: Bearer $TOKEN" \
  -H 'content-type: application/json' -d "{\"code\": \"$code\"}"

# the next poll has the credential; it can be polled again until its first use, for ten minutes
answer=$(curl -sS "$API/devices/pair/$code" -H "authorization: Bearer $secret")
echo "id $(field id), a credential of $(field credential | wc -c) characters"
#> id porch, a credential of 43 characters

# with it the board says what it has, as often as it likes
curl -sS -w '%{http_code}\n' -X PUT "$API/devices/porch/report" -H "authorization: Bearer $(field credential)" \
  -H 'content-type: application/json' \
  -d '{"io": [{"name": "celsius", "direction": "in", "dtype": "float"}, {"name": "lamp", "direction": "out", "dtype": "bool"}]}'
#> 204
