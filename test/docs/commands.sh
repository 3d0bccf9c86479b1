#!/bin/sh
# Sentences are tried, and one of them is said to a flow. "#>" is what the command above prints.
# Usage: SERVICE_URL=http://127.0.0.1:8000/api/v1 SERVICE_TOKEN=... sh commands.sh
# The engine has examples/commands/flows.
set -eu

# The bedroom comes later.
service commands try "switch off the kitchen light and warm the bedroom in ten minutes" --light
#> speaker  away; outside 20 °C, light
#> house    a full one; yours by --device, or by --flow
#> wired    living_room_light, kitchen_light, bathroom_light, bedroom_light, office_light, garden_light and 23 more
#> writes   from a confidence of 0.93
#>
#> CALL           AREA     WITH  WHEN       CONFIDENCE  WRITTEN
#> lights_off     kitchen  -     now        0.998       yes
#> heating_boost  bedroom  -     in 10 min  0.998       yes
#>
#> LOST           AREA     WITH  WHEN       SCORE  MADE OF                       WHY
#> lights_off     kitchen  -     in 10 min  -1.03  switch off the kitchen light  another way to read the sentence is likelier
#> heating_boost  bedroom  -     now        -1.53  warm the bedroom              another way to read the sentence is likelier

# A word is repaired.
service commands try "kichen light off please" --light
#> speaker  away; outside 20 °C, light
#> house    a full one; yours by --device, or by --flow
#> wired    living_room_light, kitchen_light, bathroom_light, bedroom_light, office_light, garden_light and 23 more
#> writes   from a confidence of 0.93
#>
#> read as  kitchen light off please
#>
#> CALL        AREA     WITH  WHEN  CONFIDENCE  WRITTEN
#> lights_off  kitchen  -     now   0.962       yes

# Which light? The speaker is away, and there are several: a doubt, and doubts are below the threshold.
service commands try "lights off" --device kitchen_light=on --device office_light=off --light
#> speaker  away; outside 20 °C, light
#> house    of these devices
#> wired    kitchen_light=on, office_light=off
#> writes   from a confidence of 0.93
#>
#> CALL        AREA                            WITH  WHEN  CONFIDENCE  WRITTEN
#> lights_off  kitchen, office                 -     now   0.900       no: below 0.93
#> lights_off  living_room, bathroom, bedroom  -     now   0.900       no: not wired

# A question asks for nothing.
service commands try "is the kitchen light on?" --light
#> speaker  away; outside 20 °C, light
#> house    a full one; yours by --device, or by --flow
#> wired    living_room_light, kitchen_light, bathroom_light, bedroom_light, office_light, garden_light and 23 more
#> writes   from a confidence of 0.93
#>
#> Nothing is done: a question
#> Say what to do with which device, such as "turn off the kitchen light" or "heat the bedroom in ten minutes".

# The house of a flow: its targets, with what is written there.
service flows start home
service messages publish home.room kitchen >/dev/null
service commands try "lights on, set the heating to 21.5 and open the blinds in here" --flow home --light
#> home is active
#> speaker  in the kitchen; outside 20 °C, light
#> house    home.commands
#> wired    kitchen_light, kitchen_heating
#> writes   from a confidence of 0.93
#>
#> CALL         AREA     WITH     WHEN  CONFIDENCE  WRITTEN
#> lights_on    kitchen  -        now   0.990       home.light = true
#> heating_set  kitchen  21.5 °C  now   0.990       home.setpoint = 21.5
#> shutters_up  kitchen  -        now   0.990       no: not wired

# Said to the flow, it does just that, and tells so.
service messages publish home.said "lights on, set the heating to 21.5 and open the blinds in here" >/dev/null
actions() { service messages history home.actions --limit 1 --json; }
until actions | grep -q shutters_up; do sleep 0.1; done
actions | sed -n '/"value": \[/,/^    \]/p'
#>     "value": [
#>       {
#>         "message": "home.light",
#>         "value": true,
#>         "applied": true,
#>         "delay_s": 0,
#>         "call": "lights_on",
#>         "confidence": 0.99
#>       },
#>       {
#>         "message": "home.setpoint",
#>         "value": 21.5,
#>         "applied": true,
#>         "delay_s": 0,
#>         "call": "heating_set",
#>         "confidence": 0.99
#>       },
#>       {
#>         "message": "",
#>         "value": null,
#>         "applied": false,
#>         "delay_s": 0,
#>         "call": "shutters_up",
#>         "confidence": 0.99
#>       }
#>     ],
