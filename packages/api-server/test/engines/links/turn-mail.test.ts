/** What goes to other engines at the end of a turn, and what becomes of it where there is no link. */
import { expect, test } from 'vitest'

import { TurnMail } from '../../../src/engines/links/turn-mail.ts'
import { LinkedEngines } from './linked-engines.ts'

const log = { warn() {} }
const turn = (): Promise<void> => new Promise(setImmediate)

/** An engine that mails values to another one, which has no link to it yet. */
async function mailing() {
  const engines = new LinkedEngines()
  const [a, b] = await engines.pair()
  const heard: unknown[][] = []
  b.links.hear('values', (payload) => void heard.push(JSON.parse(payload.toString()) as unknown[]))
  const mail = new TurnMail('values', a.links, log)
  return { a, b, engines, heard, mail }
}

test('what comes in one turn goes together, and opens a link where there is none: what comes meanwhile follows in its order', async () => {
  const { heard, mail } = await mailing()
  mail.add('b', 1)
  mail.add('b', 2)
  await turn()
  mail.add('b', 3)
  await expect.poll(() => heard).toEqual([[1, 2], [3]])
  mail.add('b', 4)
  await expect.poll(() => heard).toEqual([[1, 2], [3], [4]])
})

test('a link that was lost is opened again by what comes next', async () => {
  const { b, engines, heard, mail } = await mailing()
  mail.add('b', 1)
  await expect.poll(() => heard).toEqual([[1]])
  await b.links.close()
  const again = await engines.open('b')
  again.links.hear('values', (payload) => void heard.push(JSON.parse(payload.toString()) as unknown[]))
  // whoever has just lost a link dials no other at once
  await expect
    .poll(async () => {
      await engines.clock.advance(250)
      mail.add('b', 2)
      await turn()
      return heard.length
    })
    .toBeGreaterThan(1)
  expect(heard[1]).toEqual([2])
})

test('what an engine is to hear that cannot be reached is let go', async () => {
  const sent: string[] = []
  const fails = Promise.withResolvers<void>()
  let isUp = false
  const links = {
    send: (_: string, __: string, payload: Uint8Array) => isUp && sent.push(payload.toString()) > 0,
    reach: () => (isUp ? Promise.resolve() : fails.promise),
  }
  const mail = new TurnMail('values', links, log)
  mail.add('b', 1)
  await turn()
  fails.reject(new Error('nobody is there'))
  await turn()
  isUp = true
  mail.add('b', 2)
  await turn()
  expect(sent).toEqual(['[2]'])
})

test('of more than one link takes the newest wait', async () => {
  const sent: unknown[] = []
  const up = Promise.withResolvers<void>()
  let isUp = false
  const links = {
    send: (_: string, __: string, payload: Uint8Array) =>
      isUp && sent.push((JSON.parse(payload.toString()) as { at: number }[]).map(({ at }) => at)) > 0,
    reach: () => up.promise,
  }
  const mail = new TurnMail('values', links, log)
  for (let at = 0; at < 6; at++) {
    mail.add('b', { at, text: 'x'.repeat(1_900_000) })
    // oxlint-disable-next-line no-await-in-loop -- a list for each turn
    await turn()
  }
  isUp = true
  up.resolve()
  await turn()
  expect(sent).toEqual([[2], [3], [4], [5]])
})
