import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Database, Sql } from '../../src/db/database.ts'
import { type Engine, openEngine, reader, relay } from './engine.ts'

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
      if (isStatement(args)) spend()
      return Reflect.apply(target, self, args)
    },
  })

/** Whether these are the arguments of a whole statement, and not of a part of one. */
const isStatement = ([texts]: readonly unknown[]): boolean =>
  Array.isArray(texts) && /^\s*(?:select|insert|update|delete|with)\b/.test(String(texts[0]))

/** Whether answers of commits are lost, after how many, and how often the database is away when it is asked then. */
const lost = { answers: false, spared: 0, reads: 0 }

const breakable = ({ sql, transaction }: Database): Pick<Database, 'sql' | 'transaction'> => ({
  sql: new Proxy(sql, {
    apply(target, self, args) {
      if (!lost.answers || lost.reads === 0 || !isStatement(args)) return Reflect.apply(target, self, args)
      lost.reads -= 1
      return Promise.reject(new Error('the database is away'))
    },
  }),
  async transaction(fn) {
    const result = await transaction(async (tx) => {
      const given = await fn(cut(tx))
      spend()
      return given
    })
    if (!lost.answers || lost.spared-- > 0) return result
    lost.reads = 2
    throw new Error('the answer is lost')
  },
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ flowsDatabase: breakable })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

/** Everything that a change of `old` could leave behind. */
async function everything() {
  // starts and stops are written behind
  await engine.eventLog.flush()
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
  await expect.poll(() => engine.lastValues.get('reader.seen')?.value).toBe(sent)
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
  '%s that breaks off at any statement changes nothing, and the flows go on [R421] [R423] [F5]',
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
)

/** What the repetition of a change by a client that heard nothing is answered, and who runs then. */
const repeated: Record<string, [status: number, runs: string | null]> = {
  'a save': [409, ''],
  'a publication': [200, ''],
  'a discarding': [200, ''],
  'a copy': [409, ''],
  'a renaming': [404, '_new'],
  'a deletion': [404, null],
}

test.each(changes)(
  '%s that is committed while its answer is lost is found, and its repetition changes nothing [F21]',
  async (what, request) => {
    const flow = `lost_${what.replaceAll(' ', '_')}`
    const [again, runs] = repeated[what] ?? [0, null]
    await engine.publish(flow, relay)
    await engine.root('PUT', `/flows/${flow}`, { ...relay, version: 1, title: 'draft' })
    const { value } = await engine.root('GET', '/flows/reader')
    await engine.publish('reader', { ...reader(`${flow}.off`), version: value?.version ?? 0 })
    await engine.root('POST', `/flows/${flow}/start`)
    await engine.root('POST', '/flows/reader/start')

    // a deletion looks for runs first, in a transaction that changes nothing
    Object.assign(lost, { answers: true, spared: what === 'a deletion' ? 1 : 0 })
    const { status } = await engine.root(...request(flow)).finally(() => (lost.answers = false))
    expect(status).toBeLessThan(300)
    const after = await everything()
    expect((await engine.root(...request(flow))).status).toBe(again)
    expect(await everything()).toBe(after)
    if (runs !== null) await expectToRun(`${flow}${runs}`)
    else expect(engine.runtime.get(flow)).toBeUndefined()
    if (what === 'a publication') expect(engine.runtime.get(flow)?.document.title).toBe('draft')
    if (what === 'a renaming') expect(engine.runtime.get(flow)).toBeUndefined()
  },
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
