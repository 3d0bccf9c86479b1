/** A live flow: letters come in by a webhook, and the flag of the box is up until a minute has passed without one. */
import { liveFlow, node, t } from '@flow-service/flow-sdk'
import { debounce, http } from '@flow-service/node-types/flow'

/** What it prints is a line in the terminal of `service dev`. */
export const read = node('read', {
  in: { letter: t.str },
  out: { words: t.int },
  run({ letter }) {
    console.log(`a letter: ${letter}`)
    return { words: letter.split(/\s+/).filter((word) => word !== '').length }
  },
})

export const postbox = liveFlow('postbox', { letter: t.str, words: t.int, flag: t.bool }, (m, use) => {
  use(http.webhook({ url: 'letters', out: { letter: t.str } }), {}, { id: 'slot', out: { letter: m.letter } })
  use(read, { letter: m.letter }, { out: { words: m.words } })
  use(debounce(t.bool, { wait: 60 }), { in: m.letter }, { id: 'hinge', out: { out: m.flag } })
})
