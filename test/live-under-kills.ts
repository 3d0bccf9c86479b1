/**
 * Live flows under load while they are published again and again and their engine is killed again and again; what they do
 * is noted outside of it.
 */
import { type DeadLetterRecord, MAX_HISTORY } from '@flow-service/protocol'
import { expect } from 'vitest'

import { deadLetters } from './dead-letters.ts'
import { publishFlow } from './documents.ts'
import type { DataDirectory, EngineProcess } from './engine-process.ts'
import { Ledger } from './ledger.ts'

const LANES = 4
/** Longest wait for what a killed engine has left. */
const SETTLE = { timeout: 60_000, interval: 100 }

const input = (name: string) => ({ direction: 'input', name, dtype: 'any' })
const output = (name: string) => ({ direction: 'output', name, dtype: 'any' })
/** A node that tells the ledger and must not tell it twice; each form of it is another one. */
const sender = (id: string, { url, form }: Form, reads: string) => ({
  id,
  type: 'http',
  settings: { url: `${url}/${id}`, timeout: form },
  ports: [input(reads)],
})

/** Where the ledger is, and a number that makes every node another one than before. */
interface Form {
  readonly url: string
  readonly form: number
}

/** Two durable webhooks. One is read by nobody. Two senders read the other, one behind a delay, and one that is told when it has gone quiet. */
const intake = (at: Form) => ({
  mode: 'live',
  nodes: [
    { id: 'hook', type: 'http', settings: { url: 'order', durable: true, timeout: at.form }, ports: [output('order')] },
    { id: 'note', type: 'http', settings: { url: 'note', durable: true, timeout: at.form }, ports: [output('note')] },
    sender('now', at, 'order'),
    sender('also', at, 'order'),
    {
      id: 'wait',
      type: 'delay',
      settings: { delay: 0.2 + at.form / 100_000 },
      ports: [input('order'), output('waited')],
    },
    sender('later', at, 'waited'),
    {
      id: 'burst',
      type: 'debounce',
      settings: { first: 'loud', then: 'quiet', wait: 0.4 + at.form / 100_000 },
      ports: [input('order'), output('noise')],
    },
    sender('noise', at, 'noise'),
  ],
})

/** Is paused the whole time: a sender behind an input, and one that reads what the webhook of the other flow publishes. */
const shelf = (at: Form) => ({
  mode: 'live',
  inputs: [{ name: 'item', dtype: 'int' }],
  nodes: [sender('held', at, 'item'), sender('crossed', at, 'intake.order')],
})

/** What the engine has acknowledged. */
interface Acknowledged {
  readonly orders: Set<number>
  readonly notes: Set<number>
  readonly items: Set<number>
  publishes: number
}

/** What came of it. */
export interface Outcome {
  readonly publishes: number
  readonly orders: number
  readonly notes: number
  readonly items: number
  /** Acknowledged, but neither done nor a dead letter, nor in the history where that is due. */
  readonly lost: string[]
  /** Done more than once by a node that must not. */
  readonly repeated: string[]
  /** Reasons of dead letters that are not `crash`. */
  readonly otherReasons: string[]
}

/** Kills `kills` engines, one after the other on the same data, at moments that `random` chooses (0 ≤ x < 1). */
export async function liveUnderKills(
  data: DataDirectory,
  { env = {}, kills, random }: { env?: NodeJS.ProcessEnv; kills: number; random: () => number },
): Promise<Outcome> {
  await using ledger = await Ledger.open(() => random() * 20)
  const done: Acknowledged = { orders: new Set(), notes: new Set(), items: new Set(), publishes: 0 }
  for (let life = 0; life < kills; life++) {
    const engine = await data.start(env)
    if (life === 0) await setUp(engine, ledger.url)
    await loadUntilKilled(engine, done, ledger.url, { life, until: 10 + random() * 60, delayMs: random() * 30 })
  }
  const last = await data.start(env)
  const quietFrom = ledger.entries.length
  await post(last, 'order', done.orders, kills * 1_000_000)
  await last.client.http.flows.resume({ name: 'shelf' })
  const missing = async (): Promise<string[]> => [
    ...unaccounted(done, ledger, await deadLetters(last)),
    ...(ledger.entries.slice(quietFrom).some(({ values }) => values['noise'] === 'quiet')
      ? []
      : ['the end of a burst']),
  ]
  await expect
    .poll(missing, SETTLE)
    .toEqual([])
    .catch(() => {})
  const letters = await deadLetters(last)
  const outcome = {
    publishes: done.publishes,
    orders: done.orders.size,
    notes: done.notes.size,
    items: done.items.size,
    lost: [...(await missing()), ...(await unrecorded(last, done))],
    repeated: ['now', 'also', 'held', 'crossed'].flatMap((node) =>
      repeated(ledger.told(`/${node}`)).map((value) => `${node} ${String(value)}`),
    ),
    otherReasons: letters.map(({ reason }) => reason).filter((reason) => reason !== 'crash'),
  }
  await last.end('SIGTERM')
  return outcome
}

async function setUp({ client }: EngineProcess, url: string): Promise<void> {
  await publishFlow(client, 'intake', intake({ url, form: 10 }))
  await publishFlow(client, 'shelf', shelf({ url, form: 10 }))
  for (const name of ['intake', 'shelf']) await client.http.flows.start({ name })
  await client.http.flows.pause({ name: 'shelf' })
}

/** The engine acknowledges `until` orders, notes and items, and a publish at some time; a little later it is killed. */
async function loadUntilKilled(
  engine: EngineProcess,
  done: Acknowledged,
  url: string,
  { life, until, delayMs }: { life: number; until: number; delayMs: number },
): Promise<void> {
  let [next, count, ending] = [life * 1_000_000, 0, false]
  const killed = Promise.withResolvers<unknown>()
  const lane = async (act: (value: number) => Promise<void>): Promise<never> => {
    for (;;) {
      await act(next++)
      count++
      // the first life lasts until a publish came through, however slow the machine is
      if (ending || count < until || done.publishes === 0) continue
      ending = true
      setTimeout(() => killed.resolve(engine.end('SIGKILL')), delayMs)
    }
  }
  const orders = Array.from({ length: LANES }, () => lane((value) => post(engine, 'order', done.orders, value)))
  const notes = lane((value) => post(engine, 'note', done.notes, value))
  const items = lane(async (value) => {
    await engine.client.http.messages.publish({ message: 'shelf.item', value: value as never })
    done.items.add(value)
  })
  const publishes = republish(engine, done, { url, form: 11 + life * 100 })
  await Promise.allSettled([...orders, notes, items, publishes])
  await killed.promise
}

/** Publishes both flows in one form after the other, until the engine is gone. */
async function republish({ client }: EngineProcess, done: Acknowledged, { url, form }: Form): Promise<never> {
  for (let next = form; ; next++) {
    for (const [name, document] of Object.entries({ intake, shelf })) {
      const { version } = await client.http.flows.get({ name })
      await publishFlow(client, name, { ...document({ url, form: next }), version })
      done.publishes++
    }
  }
}

async function post({ origin }: EngineProcess, to: string, accepted: Set<number>, value: number): Promise<void> {
  const { status } = await fetch(`${origin}/hooks/intake/${to}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: String(value),
  })
  if (status !== 202) throw new Error(`the webhook answered ${status}`)
  accepted.add(value)
}

/** What has neither been told to the ledger nor become a dead letter of the node. */
function unaccounted({ orders, items }: Acknowledged, ledger: Ledger, letters: readonly DeadLetterRecord[]): string[] {
  const missing = (node: string, expected: ReadonlySet<number>): string[] => {
    // an arrival that was taken up too often is a dead letter of the webhook
    const nodes: (string | null)[] = node === 'later' ? ['hook', 'later', 'wait'] : ['hook', node]
    const found = new Set<unknown>(ledger.told(`/${node}`))
    for (const letter of letters) if (nodes.includes(letter.node)) found.add(letter.value)
    return [...expected].filter((value) => !found.has(value)).map((value) => `${node} ${value}`)
  }
  return [...['now', 'also', 'later', 'crossed'].flatMap((node) => missing(node, orders)), ...missing('held', items)]
}

/** Acknowledged values that the history does not hold, which keeps the newest thousand of each message. */
async function unrecorded({ client }: EngineProcess, { items, notes, orders }: Acknowledged): Promise<string[]> {
  const messages = { 'shelf.item': items, 'intake.note': notes, 'intake.order': orders }
  const lost: string[] = []
  for (const [message, accepted] of Object.entries(messages)) {
    const found = new Set<unknown>()
    for (let before: string | undefined; ;) {
      const page = await client.http.messages.history({ message, limit: 500, ...(before ? { before } : {}) })
      for (const { value } of page) found.add(value)
      before = page.at(-1)?.ts
      if (page.length < 500) break
    }
    // requests overtake each other a little
    const oldest = found.size < MAX_HISTORY ? 0 : Math.min(...[...found].map(Number)) + 100
    lost.push(
      ...[...accepted].flatMap((value) => (value < oldest || found.has(value) ? [] : [`value ${value} of ${message}`])),
    )
  }
  return lost
}

function repeated(values: readonly unknown[]): unknown[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))]
}
