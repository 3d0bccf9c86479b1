import type { FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Database, Sql } from '../../src/db/database.ts'
import { type Engine, openEngine, relay } from './engine.ts'

/** Statements that still succeed in transactions of flows, their commit being the last; null: all of them. */
let left: number | null = null

function spend(): void {
  if (left === null) return
  if (left === 0) throw new Error('the database is gone')
  left -= 1
}

const cut = (tx: Sql): Sql =>
  new Proxy(tx, {
    apply(target, self, args) {
      spend()
      return Reflect.apply(target, self, args)
    },
  })

const breakable = ({ sql, transaction }: Database): Pick<Database, 'sql' | 'transaction'> => ({
  sql,
  transaction: (fn) =>
    transaction(async (tx) => {
      const result = await fn(cut(tx))
      spend()
      return result
    }),
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ flowsDatabase: breakable })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const reader = (message: string): FlowDocumentInput => ({
  nodes: [
    {
      id: 'watch',
      type: 'change',
      ports: [
        { direction: 'input', name: message },
        { direction: 'output', name: 'seen' },
      ],
    },
  ],
})

/** Everything that a change of `old` could leave behind. */
async function everything() {
  const [flows, values, audit, refs] = await Promise.all([
    engine.database.sql`select * from flow order by name`,
    engine.database.sql`select message, value from message_value order by message`,
    engine.database.sql`select count(*)::int as n from engine_event`,
    engine.database.sql`select * from blob_ref order by digest, kind, owner`,
  ])
  return JSON.stringify({ flows, values, audit, refs, memory: engine.lastValues.all() })
}

let sent = 0
async function expectToRun(flow: string): Promise<void> {
  sent += 1
  engine.runtime.publish(`${flow}.on`, sent)
  await expect.poll(() => engine.lastValues.get('reader.seen')?.value, { timeout: 10_000 }).toBe(sent)
  await engine.lastValues.flush()
}

const changes: [string, (flow: string) => [string, string, unknown?], string | null][] = [
  ['a save', (flow) => ['PUT', `/flows/${flow}`, { ...relay, version: 2, title: 'later' }], 'same'],
  ['a publication', (flow) => ['POST', `/flows/${flow}/publish`, { version: 2 }], 'same'],
  ['a discarding', (flow) => ['POST', `/flows/${flow}/discard-draft`], 'same'],
  ['a copy', (flow) => ['POST', `/flows/${flow}/duplicate`], 'same'],
  ['a renaming', (flow) => ['POST', `/flows/${flow}/rename`, { name: `${flow}_new` }], 'new'],
  ['a deletion', (flow) => ['DELETE', `/flows/${flow}`], null],
]

test.each(changes)(
  '%s that breaks off at any statement changes nothing, and the flows go on [R421] [R423]',
  async (what, request, end) => {
    const flow = what.replaceAll(' ', '_')
    const { ref } = await engine.artifacts.put(Buffer.from(flow), { name: '', mediaType: 'a/b', volatile: false })
    await engine.publish(flow, { ...relay, inputs: [{ name: 'on' }, { name: 'kept', initial: ref }] })
    await engine.root('PUT', `/flows/${flow}`, { ...relay, version: 1, title: 'draft' })
    const { value } = await engine.root('GET', '/flows/reader')
    await engine.publish('reader', { ...reader(`${flow}.off`), version: value?.version ?? 0 })
    await engine.root('POST', `/flows/${flow}/start`)
    await engine.root('POST', '/flows/reader/start')
    await expectToRun(flow)

    const before = await everything()
    let cuts = 0
    for (; ; cuts += 1) {
      left = cuts
      // oxlint-disable-next-line no-await-in-loop -- one break after the other
      const { status } = await engine.root(...request(flow))
      left = null
      if (status < 300) break
      expect({ cuts, status }).toEqual({ cuts, status: 500 })
      // oxlint-disable-next-line no-await-in-loop -- see above
      expect(await everything()).toBe(before)
      // oxlint-disable-next-line no-await-in-loop -- see above
      expect((await engine.root('GET', `/flows/${flow}`)).value).toMatchObject({ status: 'active', has_draft: true })
    }
    // at least the statement and the commit
    expect(cuts).toBeGreaterThan(1)
    if (end === 'same') await expectToRun(flow)
    if (end === 'new') await expectToRun(`${flow}_new`)
    if (end === null) expect((await engine.root('GET', `/flows/${flow}`)).status).toBe(404)
  },
  60_000,
)

test('after a deletion that broke off the flow reacts as before', async () => {
  await engine.publish('survivor', relay)
  await engine.root('POST', '/flows/survivor/start')
  left = 3
  expect((await engine.root('DELETE', '/flows/survivor')).status).toBe(500)
  left = null
  engine.runtime.publish('survivor.on', 'still here')
  await expect.poll(() => engine.lastValues.get('survivor.off')?.value).toBe('still here')
  expect(engine.published.find('survivor.on')).toBeDefined()
})
