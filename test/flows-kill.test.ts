import { ApiError, type Client } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { readDatabase } from '../packages/api-server/test/backend.ts'
import { type Operation, shown, type State, step } from '../packages/api-server/test/flows/flow-model.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'

const ROUNDS = 4
const LANES = 3

const relay = (title: string) => ({
  title,
  inputs: [{ name: 'on' }],
  nodes: [{ id: 'pass', type: 'change', ports: [port('input', 'on'), port('output', 'off')] }],
})
const reader = (message: string) => ({
  nodes: [{ id: 'watch', type: 'change', ports: [port('input', message), port('output', 'seen')] }],
})
const port = (direction: 'input' | 'output', name: string) => ({ direction, name })

/** A flow that is changed over and over, and the one that reads its message. */
interface Lane {
  readonly id: number
  /** As acknowledged. */
  state: State
  /** The request that had no answer when the engine was killed. */
  pending: Operation | null
  /** What has to be in the audit trail. */
  readonly audit: string[]
  count: number
}

test('kills in the middle of changes leave every flow as it was before or after, and exactly what was published, renamed and discarded in the audit trail [R421] [R423] [R426] [R454] [F5]', async () => {
  using data = new DataDirectory()
  const lanes = Array.from({ length: LANES }, (_, id): Lane => ({ id, state: {}, pending: null, audit: [], count: 0 }))
  for (let round = 0; round < ROUNDS; round++) {
    const engine = await data.start()
    for (const lane of lanes) await (round === 0 ? begin(engine.client, lane) : check(engine.client, lane))
    await changeUntilKilled(engine, lanes, 10 + round * 7)
  }
  const last = await data.start()
  for (const lane of lanes) await check(last.client, lane)
  expect(await last.end('SIGTERM')).toBe(0)

  const rows = await readDatabase(
    data.path,
    (sql) => sql<{ action: string; flow: string; detail: unknown }[]>`
    select action, flow, detail from engine_event where kind = 'audit' and flow not like 'reader%' order by ts, id`,
  )
  const found = rows.map(({ action, flow, detail }) => {
    const { version } = (typeof detail === 'string' ? JSON.parse(detail) : detail) as { version: number }
    return `${action} ${flow} ${version}`
  })
  for (const { id, audit } of lanes) {
    expect(found.filter((entry) => entry.includes(` lane${id}`))).toEqual(audit)
    expect(audit.length).toBeGreaterThan(5)
  }
})

async function begin(client: Client, lane: Lane): Promise<void> {
  await change(client, lane, { do: 'save', name: `lane${lane.id}`, version: 0, title: 'first' })
  const name = `reader${lane.id}`
  const { version } = await client.http.flows.save({ name, flowDocument: reader(`lane${lane.id}.off`) as never })
  await client.http.flows.publish({ name, version })
  await client.http.flows.start({ name })
}

/** The flow is as acknowledged, or as the request without an answer would have made it; which, is known afterwards. */
async function check(client: Client, lane: Lane): Promise<void> {
  const { pending, state } = lane
  const after = pending ? step(state, pending)[1] : state
  const actual = await actualOf(client, lane)
  const isDone = JSON.stringify(actual) !== JSON.stringify(shownOf(state))
  expect(actual).toEqual(shownOf(isDone ? after : state))
  if (isDone && pending) acknowledge(lane, pending)
  lane.pending = null
  const follower = await client.http.flows.get({ name: `reader${lane.id}` })
  expect(follower).toMatchObject({ status: 'active', has_draft: false })
  expect(follower.nodes[0]?.ports[0]?.message).toBe(`${nameOf(lane)}.off`)
}

const nameOf = ({ state }: Lane): string => Object.keys(state)[0] ?? ''

const shownOf = (state: State) => Object.entries(state).map(([name, flow]) => ({ name, ...shown(flow) }))

async function actualOf(client: Client, { id }: Lane) {
  const list = (await client.flows.list()).filter(({ name }) => name.startsWith(`lane${id}`))
  return list.map(({ name, version, title, published_version, has_draft }) => {
    return { name, version, title, published_version, has_draft }
  })
}

async function changeUntilKilled(engine: EngineProcess, lanes: readonly Lane[], until: number): Promise<void> {
  let count = 0
  const work = async (lane: Lane): Promise<never> => {
    for (;;) {
      await change(engine.client, lane, next(lane))
      if (++count === until) void engine.end('SIGKILL')
    }
  }
  const ends = await Promise.allSettled(lanes.map(work))
  // a refusal would be a mistake of the test
  for (const end of ends) expect(end.status === 'rejected' && end.reason).not.toBeInstanceOf(ApiError)
  await engine.end('SIGKILL')
}

/** Save, publish, save, discard, rename, and again. */
function next(lane: Lane): Operation {
  const name = nameOf(lane)
  const version = lane.state[name]?.version ?? 0
  const title = `title ${lane.count}`
  lane.count += 1
  switch (lane.count % 5) {
    case 1:
    case 3:
      return { do: 'save', name, version, title }
    case 2:
      return { do: 'publish', name, version }
    case 4:
      return { do: 'discard', name }
    default:
      return { do: 'rename', name, to: `lane${lane.id}_${lane.count}` }
  }
}

async function change(client: Client, lane: Lane, operation: Operation): Promise<void> {
  lane.pending = operation
  await send(client, operation)
  acknowledge(lane, operation)
  lane.pending = null
}

function acknowledge(lane: Lane, operation: Operation): void {
  const before = lane.state
  const was = before[operation.name]
  lane.state = step(before, operation)[1]
  const name = nameOf(lane)
  const version = lane.state[name]?.version ?? 0
  if (operation.do === 'rename') lane.audit.push(`flow.rename ${name} ${version}`)
  if (operation.do === 'discard' && was?.draft !== null) lane.audit.push(`flow.discard ${name} ${was?.version}`)
  if (operation.do === 'publish' && was?.draft !== null) lane.audit.push(`flow.publish ${name} ${version}`)
}

async function send({ flows }: Client, operation: Operation): Promise<unknown> {
  const { name } = operation
  if (operation.do === 'save')
    return flows.save(name, { ...relay(operation.title), version: operation.version } as never)
  if (operation.do === 'publish') return flows.publish(name, { version: operation.version })
  if (operation.do === 'rename') return flows.rename(name, { name: operation.to })
  return flows.discardDraft(name)
}
