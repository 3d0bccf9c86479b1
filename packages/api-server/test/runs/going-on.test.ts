/** Runs that outlive their engine, with workers that the test plays itself: it begins, emits and ends calls by hand. */
import { type CodeCall, CodeError, LeftBehind } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import type { Run } from '@flow-service/protocol'
import { afterEach, describe, expect, test } from 'vitest'

import type { AttachedWorker } from '../../src/workers/attached-worker.ts'
import { type EngineOptions, openEngine, type TestEngine } from './engine.ts'
import { input, node, output, stream } from './flows.ts'
import { limit } from './limited-runs.ts'

let engine: TestEngine
afterEach(async () => {
  await engine[Symbol.asyncDispose]()
})

const jti = '00000000-0000-4000-8000-000000000001'
const session = 'session'
const RESUME_S = 60

type Outputs = Record<string, unknown>

/** A call as its worker has it. */
interface Played {
  readonly call: CodeCall
  seq: number
  readonly outputs: PromiseWithResolvers<Outputs>
}

/** Plays the worker: the session of its calls, which it keeps over engines. */
class Worker {
  readonly played = new Map<string, Played>()
  readonly begun: string[] = []
  /** It takes no calls now. */
  refuses = false
  #seq = 0

  /** The code of a node that executes on it. */
  readonly code = async (call: CodeCall): Promise<Outputs> => {
    if (this.refuses) return new Promise(() => {})
    await engine.runCalls.begin({
      call: call.id,
      run: call.run,
      node: call.node.id,
      attempt: call.attempt,
      flow: '',
      jti,
      session,
    })
    this.begun.push(`${call.node.id}#${call.attempt}`)
    return this.#play(call, 0)
  }

  /** One call of a node that it has. */
  of(node: string): Played {
    const played = [...this.played.values()].findLast(({ call }) => call.node.id === node)
    if (!played) throw new Error(`no call of ${node}`)
    return played
  }

  /** Says something of a call, and how the engine has numbered it. */
  say(node: string, what: (call: CodeCall) => void): number {
    const played = this.of(node)
    what(played.call)
    played.seq = this.#seq += 1
    engine.runCalls.applied(played.call.id, played.seq)
    return played.seq
  }

  async result(node: string, outputs: Outputs): Promise<void> {
    const { call, outputs: given } = this.of(node)
    this.#seq += 1
    engine.runCalls.applied(call.id, this.#seq)
    engine.runCalls.ended(call.id)
    given.resolve(outputs)
    await engine.runCalls.safe(session)
  }

  async fails(node: string): Promise<void> {
    const { call, outputs } = this.of(node)
    engine.runCalls.ended(call.id)
    outputs.reject(new CodeError('E', 'no', null))
  }

  /** Comes to the engine with these calls; gives what the engine says of them. */
  async attach(calls = [...this.played.keys()]) {
    const offered = calls.map((call) => ({ call, seq: this.played.get(call)?.seq ?? 0 }))
    const { resumed, dropped } = await engine.runCalls.adopt(session, jti, offered)
    const worker = { goOn: (_: unknown, call: CodeCall) => this.#play(call, this.played.get(call.id)?.seq ?? 0) }
    for (const one of resumed) one.take(worker as unknown as AttachedWorker)
    return { resumed: resumed.map(({ call, seq }) => [call, seq]), dropped: [...dropped] }
  }

  #play(call: CodeCall, seq: number): Promise<Outputs> {
    const outputs = Promise.withResolvers<Outputs>()
    this.played.set(call.id, { call, seq, outputs })
    call.onPlace({ worker: 'far' })
    call.signal.addEventListener('abort', () => outputs.reject(call.signal.reason))
    return outputs.promise
  }
}

const far = (id: string, reads: string[], more: object = {}) =>
  node(id, [...reads.map((name) => input(name)), output(id), stream(`${id}_loss`)], { worker: 'far', ...more })

/** first, then second with what it gave; beside them alone. */
const flow = {
  nodes: [far('first', []), far('second', ['first']), far('alone', [])],
  outputs: [{ name: 'second' }, { name: 'alone' }, { name: 'alone_loss' }],
}

let clock: VirtualClock

async function open(worker: Worker, more: EngineOptions = {}): Promise<void> {
  clock = new VirtualClock(Date.now())
  const code = { first: worker.code, second: worker.code, alone: worker.code }
  engine = await openEngine({ resumeS: RESUME_S, code, clock, ...more })
}

/** The engine dies, and another one comes. */
async function again(worker: Worker, more: EngineOptions = {}): Promise<void> {
  const { flows } = engine
  const dataDir = await engine.crash()
  await open(worker, { dataDir, flows, ...more })
}

const begins = (run: string, name: string) => (event: TestEngine['events'][number]) =>
  event.type === 'node' && event.run === run && event.node === name && event.status === 'running'

/** A run with two calls on the worker, whose engine has died. */
async function cutOff(worker: Worker): Promise<string> {
  await open(worker)
  await engine.publish('work', flow)
  const { id } = await engine.submit('work')
  await expect.poll(() => worker.begun.toSorted()).toEqual(['alone#1', 'first#1'])
  await engine.runs.flush(id)
  await again(worker)
  return id
}

async function told(action: string): Promise<unknown[]> {
  return (await engine.eventLog.list({ action }, 100)).map(({ detail }) => detail)
}

const statuses = ({ nodes }: Run) => Object.fromEntries(nodes.map(({ node: id, status }) => [id, status]))

const left = (): Promise<unknown> => engine.database.sql`select run from kept_run`

describe('a run whose calls are on workers [U23]', () => {
  test('goes on with values that are stored: what reads them gets them, and the end shows their references', async () => {
    const worker = new Worker()
    const text = 'x'.repeat(300_000)
    const given: unknown[] = []
    const typed = [node('first', [output('first', 'str')], { worker: 'far' }), far('alone', [])]
    const last = node('last', [input('first', 'str'), input('alone'), output('last')], { worker: 'far' })
    const readers = {
      last: async ({ inputs }: CodeCall) => {
        given.push(inputs['first'])
        return { last: 1 }
      },
    }
    await open(worker)
    await engine.publish('large', { nodes: [...typed, last], outputs: [{ name: 'first' }, { name: 'last' }] })
    const { id } = await engine.submit('large')
    await expect.poll(() => worker.begun.toSorted()).toEqual(['alone#1', 'first#1'])
    await worker.result('first', { first: text })
    await engine.runs.flush(id)
    await again(worker)
    Object.assign(engine.code, readers)
    await worker.attach()
    await worker.result('alone', { alone: 7 })
    const { status, result } = await engine.finished(id)
    expect([status, given.map((each) => each === text)]).toEqual(['ok', [true]])
    expect(result).toMatchObject({
      last: 1,
      first: { media_type: 'application/vnd.flow-service.value+json', size: 300_002 },
    })
  })

  test('goes on where its worker comes to the next engine: nothing is executed twice, what was said counts once', async () => {
    const worker = new Worker()
    await open(worker)
    await engine.publish('work', flow)
    const { id } = await engine.submit('work')
    await expect.poll(() => worker.begun.toSorted()).toEqual(['alone#1', 'first#1'])
    await worker.result('first', { first: 3 })
    await expect.poll(() => worker.begun).toContain('second#1')
    for (const loss of [3, 2]) worker.say('alone', ({ onEmit }) => onEmit({ alone_loss: loss }, loss))
    const said = worker.say('alone', ({ onLog }) => onLog('stdout', 'half\n'))
    await engine.runCalls.safe(session)
    // of this the next engine knows nothing
    worker.say('alone', ({ onEmit }) => onEmit({ alone_loss: 1 }, 5))
    const alone = worker.of('alone').call.id

    await again(worker)
    expect((await engine.runs.get(id)).status).toBe('running')
    expect((await worker.attach()).resumed).toContainEqual([alone, said])
    worker.say('alone', ({ onEmit }) => onEmit({ alone_loss: 1 }, 5))
    worker.say('alone', ({ onLog }) => onLog('stdout', 'whole\n'))
    await worker.result('alone', { alone: 7 })
    await worker.result('second', { second: 4 })
    const run = await engine.finished(id)
    expect(run).toMatchObject({ status: 'ok', result: { second: 4, alone: 7, alone_loss: 1 } })
    expect(worker.begun).toHaveLength(3)
    const [curve] = await engine.runs.metrics(id, { stride: 1 })
    expect(curve?.points.map(({ step, value }) => [step, value])).toEqual([
      [0, 3],
      [1, 2],
      [2, 1],
    ])
    const records = new Map(run.nodes.map((each) => [each.node, each]))
    expect(records.get('alone')).toMatchObject({ logs: 'half\nwhole\n', worker: 'far', status: 'ok' })
    expect(records.get('first')).toMatchObject({ status: 'ok' })
    expect(await left()).toEqual([])
  })
  test('is shown as running while it waits, and what it waits for is told once', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    expect((await engine.runs.get(run)).nodes).toContainEqual(
      expect.objectContaining({ node: 'alone', status: 'running', worker: 'far' }),
    )
    await clock.advance(20_000)
    expect(await told('run.wait')).toEqual([expect.objectContaining({ run, workers: ['far'] })])
    await worker.attach()
    expect(await told('run.go_on')).toEqual([{ run }])
  })

  test('that is cancelled while it waits is cancelled, and its worker is told to drop the calls', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    expect((await engine.runs.cancel(run)).status).toBe('cancelled')
    const calls = [...worker.played.keys()]
    expect(await worker.attach()).toEqual({ resumed: [], dropped: calls })
    await clock.advance(5_000)
    expect((await engine.runs.get(run)).status).toBe('cancelled')
    expect(await left()).toEqual([])
  })

  test('that is cancelled when its worker is back ends at once', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    await worker.attach()
    expect((await engine.runs.cancel(run)).status).toBe('cancelled')
    expect(worker.of('alone').call.signal.aborted).toBe(true)
    expect(await left()).toEqual([])
  })

  test('is given up when its workers have not come in time, as any other run', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    await clock.advance(5_000)
    expect((await engine.runs.get(run)).status).toBe('running')
    await engine.database.sql`update run set lease_until = now() - make_interval(secs => ${RESUME_S + 1})`
    await clock.advance(5_000)
    expect(await engine.runs.get(run)).toMatchObject({ status: 'abandoned', error: { type: 'abandoned' } })
    expect(engine.deadLetters).toMatchObject([{ reason: 'lease', value: { run } }])
    expect((await worker.attach()).resumed).toEqual([])
  })

  test('waits for the workers of its other calls when one has come; those that do not come have lost theirs', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    await engine.database.sql`update worker_call set session = 'other' where node = 'first'`
    const alone = worker.of('alone').call.id
    expect((await worker.attach([alone])).resumed).toEqual([[alone, 0]])
    await worker.result('alone', { alone: 1 })
    await clock.advance(RESUME_S * 1000)
    const ended = await engine.finished(run)
    expect(ended).toMatchObject({ status: 'error', error: { node: 'first', type: 'worker_lost' } })
    expect(statuses(ended)).toEqual({ first: 'error', second: 'skipped', alone: 'ok' })
  })

  test('begins a call again that its worker does not name: it has never heard of it', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    const alone = worker.of('alone').call.id
    expect((await worker.attach([alone])).resumed).toEqual([[alone, 0]])
    await expect.poll(() => worker.begun.toSorted()).toEqual(['alone#1', 'first#1', 'first#1'])
    await worker.result('alone', { alone: 1 })
    await worker.result('first', { first: 1 })
    await expect.poll(() => worker.begun).toContain('second#1')
    await worker.result('second', { second: 1 })
    expect((await engine.finished(run)).status).toBe('ok')
  })

  test('goes on for the token and the session that have its calls, and for no other', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    const calls = [...worker.played.keys()].map((call) => ({ call, seq: 0 }))
    const dropped = { resumed: [], dropped: calls.map(({ call }) => call) }
    const other = '00000000-0000-4000-8000-000000000002'
    expect(await engine.runCalls.adopt(session, other, calls)).toEqual(dropped)
    expect(await engine.runCalls.adopt('another', jti, calls)).toEqual(dropped)
    expect((await engine.runs.get(run)).status).toBe('running')
    expect((await worker.attach()).resumed).toHaveLength(2)
  })

  test.each([
    ['of any flow', null],
    ['of a flow with a limit', 1],
  ])('%s that was claimed, and of which nothing had begun, goes on at once', async (_which, most) => {
    const worker = new Worker()
    worker.refuses = true
    await open(worker)
    await engine.publish('work', flow)
    await limit(engine.database, 'work', most)
    const { id } = await engine.submit('work')
    await expect.poll(async () => (await engine.runs.get(id)).status).toBe('running')
    await engine.database.sql`delete from run_node`
    await again(worker)
    expect((await engine.runs.get(id)).status).toBe('running')
    worker.refuses = false
    await again(worker)
    await expect.poll(() => worker.begun.toSorted()).toEqual(['alone#1', 'first#1'])
  })

  test('goes on at once when no worker has anything of it', async () => {
    const worker = new Worker()
    await open(worker)
    await engine.publish('work', { nodes: [far('first', []), far('second', ['first'])], outputs: [{ name: 'second' }] })
    const { id } = await engine.submit('work')
    await expect.poll(() => worker.begun).toEqual(['first#1'])
    worker.refuses = true
    await worker.result('first', { first: 3 })
    await again(worker)
    worker.refuses = false
    await expect.poll(() => worker.begun).toEqual(['first#1', 'second#1'])
    expect(worker.of('second').call.inputs).toEqual({ first: 3 })
    await worker.result('second', { second: 4 })
    expect(await engine.finished(id)).toMatchObject({ status: 'ok', result: { second: 4 } })
  })

  test.each([
    ['on the engine', {}],
    ['where a worker is only preferred', { worker: 'far', worker_policy: 'prefer' as const }],
  ])('is given up at once when something of it executes %s', async (_where, more) => {
    const worker = new Worker()
    await open(worker, { code: { alone: worker.code, here: () => new Promise(() => {}) } })
    await engine.publish('work', { nodes: [far('alone', []), node('here', [output('here')], more)] })
    const { id } = await engine.submit('work')
    await expect.poll(() => worker.begun).toEqual(['alone#1'])
    await engine.event(begins(id, 'here'))
    await expect.poll(async () => (await engine.database.sql`select from worker_call`).length).toBe(2)
    await again(worker)
    expect((await engine.runs.get(id)).status).toBe('abandoned')
    expect((await worker.attach()).dropped).toHaveLength(1)
  })

  test('has executed what ended on the engine before: it is not executed again', async () => {
    const worker = new Worker()
    let executions = 0
    const here = async () => ({ here: (executions += 1) })
    const code = { here, alone: worker.code }
    await open(worker, { code })
    await engine.publish('work', {
      nodes: [node('here', [output('here')], { cache: false }), far('alone', ['here'])],
      outputs: [{ name: 'alone' }],
    })
    const { id } = await engine.submit('work')
    await expect.poll(() => worker.begun).toEqual(['alone#1'])
    await again(worker, { code })
    await worker.attach()
    expect(worker.of('alone').call.inputs).toEqual({ here: 1 })
    await worker.result('alone', { alone: 2 })
    expect((await engine.finished(id)).status).toBe('ok')
    expect(executions).toBe(1)
  })

  test('goes on with its attempts', async () => {
    const worker = new Worker()
    const retry = { attempts: 3, delay_s: 1, factor: 1, max_delay_s: 1 }
    await open(worker)
    await engine.publish('work', { nodes: [far('alone', [], { retry })], outputs: [{ name: 'alone' }] })
    const { id } = await engine.submit('work')
    await expect.poll(() => worker.begun).toEqual(['alone#1'])
    await worker.fails('alone')
    await clock.advance(1000)
    await expect.poll(() => worker.begun).toEqual(['alone#1', 'alone#2'])
    await again(worker)
    await worker.attach([worker.of('alone').call.id])
    await worker.fails('alone')
    await clock.advance(1000)
    await expect.poll(() => worker.begun).toEqual(['alone#1', 'alone#2', 'alone#3'])
    await worker.result('alone', { alone: 1 })
    const [record] = (await engine.finished(id)).nodes
    expect(record?.attempts.map(({ attempt, error }) => [attempt, error?.type ?? null])).toEqual([
      [1, 'E'],
      [2, 'E'],
      [3, null],
    ])
  })

  test('counts each emission of a frame of which only some were stored', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    await worker.attach()
    const { call } = worker.of('alone')
    // two of three, and the engine dies
    for (const loss of [1, 2]) call.onEmit({ alone_loss: loss }, loss)
    await engine.runs.flush(run)
    await again(worker)
    await worker.attach()
    worker.say('alone', ({ onEmit }) => [1, 2, 3].forEach((loss) => onEmit({ alone_loss: loss }, loss)))
    worker.say('alone', ({ onEmit }) => onEmit({ alone_loss: 4 }, 4))
    const [curve] = await engine.runs.metrics(run, { stride: 1 })
    expect(curve?.points.map(({ step, value }) => [step, value])).toEqual([1, 2, 3, 4].map((n) => [n - 1, n]))
  })

  test('is left to the next engine by one that is stopped, whose workers hear nothing of it', async () => {
    const worker = new Worker()
    const run = await cutOff(worker)
    await worker.attach()
    const said = worker.say('alone', ({ onLog }) => onLog('stdout', 'said\n'))
    const { dataDir, flows } = engine
    await engine.runs.close()
    expect(worker.of('alone').call.signal.reason).toBeInstanceOf(LeftBehind)
    await engine.crash()
    await open(worker, { dataDir, flows })
    const { resumed } = await worker.attach()
    expect(resumed).toContainEqual([worker.of('alone').call.id, said])
    expect((await engine.runs.get(run)).nodes.find((each) => each.node === 'alone')?.logs).toBe('said\n')
  })

  test('of a draft goes on with the draft that it began with', async () => {
    const worker = new Worker()
    await open(worker)
    await engine.draft('work', { ...flow, inputs: [{ name: 'n', dtype: 'float', initial: 1 }] })
    const { id } = await engine.submit('work', { draft: true })
    await expect.poll(() => worker.begun.length).toBe(2)
    await engine.draft('work', { nodes: [] })
    await again(worker)
    await worker.attach()
    await worker.result('alone', { alone: 1 })
    await worker.result('first', { first: 1 })
    await expect.poll(() => worker.begun).toContain('second#1')
    await worker.result('second', { second: 2 })
    expect(await engine.finished(id)).toMatchObject({ status: 'ok', result: { second: 2 } })
  })

  test('has no rows where runs end with their engine, and none after its end', async () => {
    const worker = new Worker()
    await open(worker, { resumeS: 0 })
    await engine.publish('work', flow)
    const { id } = await engine.submit('work')
    await expect.poll(() => worker.begun.length).toBe(2)
    await engine.runs.flush(id)
    expect(await left()).toEqual([])
    await again(worker, { resumeS: 0 })
    expect((await engine.runs.get(id)).status).toBe('abandoned')
  })

  test('ends, and has no rows any more, where its next engine lets no run outlive it', async () => {
    const worker = new Worker()
    const id = await cutOff(worker)
    expect(await left()).toEqual([{ run: id }])
    await again(worker, { resumeS: 0 })
    expect((await engine.runs.get(id)).status).toBe('abandoned')
    expect(await left()).toEqual([])
  })
})
