/** A live flow: readings come in by a webhook, hot ones switch a fan on, and the fan's state waits for calm to go off. */
import { latest, liveFlow, node, t } from '@flow-service/flow-sdk'
import { debounce, http, switchOn } from '@flow-service/node-types/flow'

/** Decides on each hot reading; `mode` is read as it stands and never wakes the node. */
export const decide = node('decide', {
  in: { hot: t.float, mode: latest(t.str, 'auto') },
  out: { demand: t.bool },
  run: ({ mode }) => (mode === 'auto' ? { demand: true } : {}),
})

export const greenhouse = liveFlow(
  'greenhouse',
  { temp: t.float, mode: t.str, fan: t.bool },
  (m, use) => {
    use(http.webhook({ url: 'temp', out: { temp: t.float } }), {}, { id: 'reading', out: { temp: m.temp } })
    const { hot } = use(
      switchOn(t.float, { rules: [{ operator: 'gt', value: 28, output: 'hot' }] }),
      { in: m.temp },
      { id: 'threshold' },
    )
    const { demand } = use(decide, { hot, mode: m.mode })
    use(debounce(t.bool, { first: true, then: false, wait: 60 }), { in: demand }, { id: 'calm', out: { out: m.fan } })
  },
  { title: 'Switch the fan on while the greenhouse is hot' },
)
