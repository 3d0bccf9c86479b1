import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'
import { type Event, isLinearizable, type Operation, type Outcome } from './flow-model.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const names = ['a', 'b', 'c'] as const
const name = fc.constantFrom(...names)
/** What a client wants; over which version is decided when it does it: the one that it knows, or an older one. */
const wish = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('save' as const), name, behind: fc.constantFrom(0, 0, 0, 1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('publish' as const), name, behind: fc.constantFrom(0, 0, 0, 1) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('discard', 'get', 'delete', 'start', 'stop'), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('rename', 'duplicate'), name, to: name }) },
)
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never

const requests = {
  get: 'GET',
  delete: 'DELETE',
  discard: 'POST /discard-draft',
  start: 'POST /start',
  stop: 'POST /stop',
  save: 'PUT',
  publish: 'POST /publish',
  rename: 'POST /rename',
  duplicate: 'POST /duplicate',
}

let rounds = 0

/** Clients with their wishes at once, on flows of their own; what happened. */
async function play(program: readonly (readonly Wish[])[]): Promise<Event[]> {
  rounds += 1
  const events: Event[] = []
  let clock = 0
  const send = async (client: number, operation: Operation): Promise<Outcome> => {
    const from = (clock += 1)
    const outcome = await request(`r${rounds}`, operation)
    events.push({ client, operation, outcome, from, to: (clock += 1) })
    return outcome
  }
  await Promise.all(
    program.map(async (wishes, client) => {
      const known = new Map<string, number>()
      for (const [at, one] of wishes.entries()) {
        const operation = operationOf(one, known.get(one.name) ?? 0, `${client}.${at}`)
        // oxlint-disable-next-line no-await-in-loop -- a client does one thing after the other
        const { flow, current_version: current } = await send(client, operation)
        const version = flow?.version ?? current
        if (version !== undefined) known.set('to' in operation ? operation.to : operation.name, version)
      }
    }),
  )
  // what is there in the end counts too
  for (const each of names) await send(-1, { do: 'get', name: each })
  return events
}

function operationOf(one: Wish, known: number, title: string): Operation {
  if ('behind' in one) {
    const version = Math.max(0, known - one.behind)
    return one.do === 'save'
      ? { do: 'save', name: one.name, version, title }
      : { do: 'publish', name: one.name, version }
  }
  return one
}

async function request(prefix: string, operation: Operation): Promise<Outcome> {
  const [method = '', path = ''] = requests[operation.do].split(' ')
  const body = {
    ...(operation.do === 'save' ? { ...relay, title: operation.title } : {}),
    ...('version' in operation ? { version: operation.version } : {}),
    ...('to' in operation ? { name: `${prefix}${operation.to}` } : {}),
  }
  const sent = method === 'GET' || method === 'DELETE' ? undefined : body
  const answer = await engine.root(method, `/flows/${prefix}${operation.name}${path}`, sent)
  const { status, value, problem } = answer
  if (status >= 400) {
    const { code, current_version: current } = problem
    return { status, code, ...(current === undefined ? {} : { current_version: current }) }
  }
  if (status === 204 || operation.do === 'start' || operation.do === 'stop') return { status }
  const { version, title, published_version, has_draft } = value
  return { status, flow: { version, title, published_version, has_draft } }
}

test('whatever several clients do to flows at once, their answers are those of some order of their requests [R421] [R422] [R424] [R671] [F53]', async () => {
  const program = fc.array(fc.array(wish, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(program, async (wishes) => {
      const events = await play(wishes)
      // those that fit no order are shown
      expect(isLinearizable(events) ? null : events).toBeNull()
    }),
    { numRuns: 25 },
  )
})

test('the model tells orders that cannot be', () => {
  const save = (version: number, outcome: Outcome, from: number): Event => ({
    client: 0,
    operation: { do: 'save', name: 'a', version, title: 't' },
    outcome,
    from,
    to: from + 1,
  })
  const flow = (version: number) => ({ version, title: 't', published_version: null, has_draft: true })
  const created = save(0, { status: 201, flow: flow(1) }, 1)
  expect(isLinearizable([created, save(1, { status: 200, flow: flow(2) }, 3)])).toBe(true)
  expect(
    isLinearizable([created, save(1, { status: 200, flow: flow(2) }, 3), save(1, { status: 200, flow: flow(2) }, 5)]),
  ).toBe(false)
  expect(isLinearizable([{ ...created, from: 9, to: 10 }, save(1, { status: 200, flow: flow(2) }, 3)])).toBe(false)
})
