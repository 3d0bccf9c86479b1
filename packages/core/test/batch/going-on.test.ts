import type { Values } from '@flow-service/connector-sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { type BatchEvent, type CodeCall, CodeError, type EarlierNode } from '../../src/index.ts'
import { batch, input, output } from '../documents.ts'
import { run, stage } from './batch-run.ts'

const retry = { attempts: 3, delay_s: 10, factor: 2, max_delay_s: 300 }
const codeNode = (id: string, reads: string[], more: object = {}) => ({
  id,
  type: 'code',
  source: 'def run(): ...',
  ports: [...reads.map((name) => input(name)), output(id)],
  ...more,
})

/** a feeds b, b and x feed c. */
const chain = batch([codeNode('a', ['x']), codeNode('b', ['a']), codeNode('c', ['b', 'x'])], {
  inputs: [{ name: 'x' }],
  outputs: [{ name: 'c' }],
})
const sum = async ({ node, inputs }: CodeCall): Promise<Values> => ({
  [node.id]: Object.values(inputs).reduce((all: number, value) => all + Number(value), 1),
})

const earlier = (...nodes: [string, EarlierNode][]): ReadonlyMap<string, EarlierNode> => new Map(nodes)
const goingOn = (
  more: Partial<NonNullable<Extract<EarlierNode, { status: 'begun' }>['goingOn']>> = {},
): EarlierNode => ({
  status: 'begun',
  attempt: 1,
  goingOn: { startMs: null, emitted: {}, cache: null, ...more },
})

describe('a run that goes on [batch.B10]', () => {
  test('executes no node again that has ended, tells nothing of it, and gives its outputs on', async () => {
    const called: string[] = []
    const going = run(chain, {
      inputs: { x: 1 },
      earlier: earlier(['a', { status: 'ok', outputs: { a: 10 } }]),
      call: (call) => (called.push(call.node.id), sum(call)),
    })
    expect(await going.outcome).toEqual({ status: 'ok', result: { c: 13 }, error: null })
    expect(called).toEqual(['b', 'c'])
    expect(going.statuses()).toEqual(['b running', 'b ok', 'c running', 'c ok'])
  })

  test('counts the failures and skips of before, the first failure first', async () => {
    const document = batch([codeNode('a', []), codeNode('b', []), codeNode('c', ['a', 'b']), codeNode('d', ['c'])])
    const error = (type: string): EarlierNode => ({ status: 'error', error: { type, message: type } })
    const going = run(document, {
      earlier: earlier(['b', error('First')], ['a', error('Second')], ['c', { status: 'skipped' }]),
    })
    expect((await going.outcome).error).toEqual({ node: 'b', type: 'First', message: 'First' })
    expect(going.statuses()).toEqual(['d skipped'])
  })

  test('enters nodes whose code executes before others, whatever slots there are, and lets the cache take nothing over', async () => {
    const calls: string[] = []
    const gate = Promise.withResolvers<void>()
    const document = batch([codeNode('a', []), codeNode('b', []), codeNode('c', [])])
    const going = run(document, {
      parallel: 1,
      earlier: earlier(['b', goingOn()], ['c', goingOn()]),
      cache: {
        take: async ({ node }, { fresh }) =>
          node === 'a' || fresh ? { is: 'miss', why: [] } : { is: 'hit', outputs: {}, run: 'other', why: [] },
        settle: async () => {},
      },
      call: async ({ node }) => {
        calls.push(node.id)
        await gate.promise
        return { [node.id]: 1 }
      },
    })
    await expect.poll(() => calls).toEqual(['b', 'c'])
    gate.resolve()
    expect((await going.outcome).status).toBe('ok')
    expect(calls).toEqual(['b', 'c', 'a'])
  })

  test('gives what was emitted last before on, unless more comes', async () => {
    const emitted = { curve: 0.5 }
    const going = run(stage, {
      inputs: { x: 1 },
      earlier: earlier(['a', goingOn({ emitted })]),
      call: async () => ({ y: 2 }),
    })
    await going.outcome
    const end = going.events.findLast((event) => event.kind === 'node')
    expect(end).toMatchObject({ status: 'ok', outputs: { y: 2, curve: 0.5 } })
  })

  test('goes on with the attempts: the one that executes began when it did, and a pause is made again', async () => {
    const document = batch([codeNode('a', [], { retry })])
    const attempts: number[] = []
    const call = async ({ attempt }: CodeCall): Promise<Values> => {
      attempts.push(attempt)
      if (attempt === 2) throw new CodeError('E', 'no', null)
      return { a: 1 }
    }
    const begun: EarlierNode = { status: 'begun', attempt: 2, goingOn: { startMs: 7, emitted: {}, cache: null } }
    const going = run(document, { call, earlier: earlier(['a', begun]) })
    await expect.poll(() => attempts).toEqual([2])
    await expect.poll(() => going.host.clock.pending).toBe(1)
    const told = (events: BatchEvent[]) => events.flatMap((event) => (event.kind === 'attempt' ? [event] : []))
    expect(told(going.events)).toMatchObject([{ attempt: 2, startMs: 7, error: { type: 'E' } }])

    const paused = run(document, { call, earlier: earlier(['a', { status: 'begun', attempt: 3, goingOn: null }]) })
    await expect.poll(() => paused.host.clock.pending).toBe(1)
    expect(attempts).toEqual([2])
    await paused.host.clock.advance(25_000)
    expect((await paused.outcome).status).toBe('ok')
    expect(attempts).toEqual([2, 3])
    expect(told(paused.events)).toMatchObject([{ attempt: 3, error: null }])
  })

  test('executes a node when it is known that it begins, and not before', async () => {
    const gate = Promise.withResolvers<void>()
    const asked: [string, number][] = []
    const calls: string[] = []
    const going = run(batch([codeNode('a', [])]), {
      beginning: (node, attempt) => (asked.push([node.id, attempt]), gate.promise),
      call: async ({ node }) => (calls.push(node.id), { a: 1 }),
    })
    await expect.poll(() => asked).toEqual([['a', 1]])
    expect(calls).toEqual([])
    gate.resolve()
    await going.outcome
    expect(calls).toEqual(['a'])
  })

  test('has the outcome of one that was never cut off, wherever it is cut', async () => {
    const layers = fc.array(
      fc.array(fc.record({ reads: fc.nat(20), fails: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    await fc.assert(
      fc.asyncProperty(layers, fc.nat(12), fc.integer({ min: 1, max: 3 }), async (shape, cut, parallel) => {
        const ids: string[] = []
        const failing = new Set<string>()
        const nodes = shape.flatMap((layer) => {
          const known = [...ids]
          return layer.map(({ reads, fails }) => {
            const id = `n${ids.length}`
            ids.push(id)
            if (fails && reads % 3 === 0) failing.add(id)
            const from = known.filter((_, at) => (reads >> at) % 2 === 1)
            return codeNode(id, from)
          })
        })
        const document = batch(nodes, { outputs: ids.map((name) => ({ name })) })
        const counted = (counts: Map<string, number>) => async (call: CodeCall) => {
          counts.set(call.node.id, (counts.get(call.node.id) ?? 0) + 1)
          if (failing.has(call.node.id)) throw new CodeError('E', call.node.id, null)
          return sum(call)
        }
        const counts = new Map<string, number>()
        const whole = run(document, { call: counted(counts), parallel })
        const outcome = await whole.outcome
        const ends = whole.events.filter((event) => event.kind === 'node' && event.status !== 'running')
        const left = earlier(
          ...ends.slice(0, cut).flatMap((event): [string, EarlierNode][] => {
            if (event.kind !== 'node') return []
            if (event.status === 'ok') return [[event.node, { status: 'ok', outputs: event.outputs ?? {} }]]
            if (event.status === 'error' && event.error) return [[event.node, { status: 'error', error: event.error }]]
            return event.status === 'skipped' ? [[event.node, { status: 'skipped' }]] : []
          }),
        )
        const again = new Map<string, number>()
        expect(await run(document, { call: counted(again), parallel, earlier: left }).outcome).toEqual(outcome)
        for (const id of left.keys()) expect(again.has(id)).toBe(false)
        for (const id of counts.keys()) expect(again.get(id) ?? 0).toBe(left.has(id) ? 0 : 1)
      }),
    )
  })
})
