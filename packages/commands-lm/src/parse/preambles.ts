/**
 * Long politeness before a request: "would it be terribly inconvenient to", "it would give me the greatest pleasure to see".
 * Whoever says so wants what follows, whatever the words between are.
 * @module
 */

/** What follows a preamble: something to be done, or something that is wanted. */
export interface Preamble {
  readonly to: number
  readonly wish: boolean
  readonly cost: number
}

const LONGEST = 14

const opening =
  /^(would|could|may|might|can|it would|i would|we would|i should|is it|i am|what i|i dare|i hope|do you|i do|are you|i will|it will)$/
const conditional =
  /^(would|could|may|might|should|possible|able|wonder|wondering|inconvenient|trouble|grateful|obliged|appreciate|ask|beg|request|favour|favor|kind|kindness|hope|trust)$/
const spoiling =
  /^(not|never|no|nothing|why|who|when|how|forgot|forget|refuse|hate|wrong|stupid|mad|silly|bad|dangerous|tell|told|said|him|her|them|tomorrow|stop|know|check|whether|turn|switch|off|on)$/

/** "I wonder whether the radio could be turned on": what could be done is wanted. */
function wondering(word: (at: number) => string | undefined, at: number): Preamble | null {
  let to = at
  while (/^(i|we|am|was|were|just|only)$/.test(word(to) ?? '')) to++
  if (!/^wonder(ing|ed)?$/.test(word(to) ?? '') || !/^(if|whether)$/.test(word(to + 1) ?? '')) return null
  for (let place = to + 3; place < to + LONGEST; place++) {
    if (
      /^(could|might|can)$/.test(word(place) ?? '') &&
      /^(be|go|come|get|please|perhaps|possibly)$/.test(word(place + 1) ?? '')
    )
      return { to: to + 2, wish: false, cost: 0.1 }
  }
  return null
}

/** The preamble that begins at `at`; `isNamed` is whether a word names something of the house. */
export function preamble(
  word: (at: number) => string | undefined,
  at: number,
  isNamed: (at: number) => boolean,
): Preamble | null {
  const first = word(at) ?? ''
  const wonders = wondering(word, at)
  if (wonders) return wonders
  if (!opening.test(first) && !opening.test(`${first} ${word(at + 1) ?? ''}`)) return null
  let asks = false
  for (let place = at; place < at + LONGEST; place++) {
    const here = word(place)
    if (here === undefined || spoiling.test(here) || isNamed(place)) return null
    asks ||= conditional.test(here)
    if (place < at + 3 || !asks) continue
    const cost = 0.05 + 0.03 * (place - at)
    const next = word(place + 1) ?? ''
    if (here === 'to' || (here === 'that' && /^(the|you|all|every|my|our)$/.test(next)) || here === 'for') {
      const wish = here !== 'to' || /^(have|see|hear|get)$/.test(next)
      return { to: here === 'to' && wish ? place + 2 : place + 1, wish, cost }
    }
    if (here === 'if' && (next === 'you' || next === 'someone' || next === 'we')) {
      let to = place + 2
      while (/^(would|could|can|might|were|to|be|so|kind|as|just|kindly|please)$/.test(word(to) ?? '')) to++
      return { to, wish: false, cost }
    }
  }
  return null
}
