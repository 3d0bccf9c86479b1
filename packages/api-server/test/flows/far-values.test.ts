/** What engines tell each other of what their flows read. */
import type { FarFlowHost } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { FarValues } from '../../src/flows/far-values.ts'

const log = { warn() {} }

test('a flow that starts elsewhere is passed values at once, before its place and its content are known, and no longer than that holds (far-values.V1)', async () => {
  const clock = new VirtualClock(0)
  const answers = new Map<string, (payload: Buffer, from: { from: string }) => Buffer>()
  const sent: string[] = []
  const heard: { places?: () => void } = {}
  const read: string[][] = []
  const readers: FarFlowHost[] = []
  let ended = 0
  let isHere = false
  // it has just opened, and nobody has heard of it
  const others: string[] = []
  const values = new FarValues({
    clock,
    log,
    lease: { id: 'this', others, onEngines() {} },
    links: {
      answer: (subject: string, answerer: (payload: Buffer, from: { from: string }) => Buffer) => {
        answers.set(subject, answerer)
        return () => {}
      },
      hear: () => () => {},
      onChange: () => () => {},
      send: (engine: string, _: string, payload: Buffer) => sent.push(`${engine} ${payload.toString()}`) > 0,
    },
    fence: { has: (flow: string) => flow === 'porch', isLost: () => false },
    flowNews: {
      engineOf: () => null,
      isBetween: () => false,
      onPlaces: (listener: () => void) => {
        heard.places = listener
        return () => {}
      },
    },
    published: { all: () => [], get: () => undefined, onChange: () => () => {} },
    lastValues: { newestOf: () => ({ message: 'porch.seen', value: 20, us: 7 }) },
    runtime: {
      reads: () => isHere,
      onReads: () => () => {},
      farReader: (host: FarFlowHost) => {
        readers.push(host)
        return { read: (messages: string[]) => void read.push(messages), end: () => void ended++ }
      },
    },
  } as never)
  values.open()
  const start = Buffer.from(JSON.stringify({ flow: 'hall', messages: ['porch.seen'] }))
  const answer = answers.get('values.start')?.(start, { from: 'other' })
  expect(JSON.parse(String(answer))).toEqual([{ message: 'porch.seen', value: 20, us: 7 }])
  expect(read).toEqual([['porch.seen']])
  readers[0]?.tell({ values: [{ message: 'porch.seen', value: 21 }], executions: 0 })
  await expect
    .poll(() => sent)
    .toEqual(['other [{"flow":"hall","values":[{"message":"porch.seen","value":21,"us":7}],"executions":0}]'])
  // as soon as it runs here it reads by itself
  isHere = true
  readers[0]?.tell({ values: [{ message: 'porch.seen', value: 22 }], executions: 0 })
  await readers[0]?.keep({ values: [{ message: 'porch.seen', value: 23 }], executions: 0, begun: [], ended: [] })
  await new Promise(setImmediate)
  expect(sent).toHaveLength(1)
  // other places are looked at meanwhile
  heard.places?.()
  await clock.advance(1_000)
  others.push('other')
  heard.places?.()
  await clock.advance(1_000)
  expect(ended).toBe(0)
  // it has not come there
  await clock.advance(10_000)
  heard.places?.()
  await clock.advance(1_000)
  expect(ended).toBe(1)
  // nor has one that is gone before that
  answers.get('values.start')?.(start, { from: 'other' })
  expect([read.length, ended]).toEqual([2, 1])
  others.pop()
  heard.places?.()
  await clock.advance(1_000)
  expect(ended).toBe(2)
  values.close()
})

test('kept work for a flow that is just starting here, or has just ended, waits until it is known who runs it (far-values.V3)', async () => {
  const clock = new VirtualClock(0)
  const has = new Set<string>()
  const engines = new Map<string, string>()
  const reads = new Set<string>()
  const delivered: unknown[] = []
  const asked: string[] = []
  const heard: { places?: () => void; reads?: (flow: string) => void } = {}
  let reader: FarFlowHost | null = null
  let areReading = 0
  const hall = {
    name: 'hall',
    mode: 'live',
    nodes: [{ ports: [{ direction: 'input', message: 'porch.seen' }] }],
  }
  const values = new FarValues({
    clock,
    log,
    lease: { id: 'this', others: ['other'], onEngines() {} },
    links: {
      answer: () => () => {},
      hear: () => () => {},
      onChange: () => () => {},
      ask: async (engine: string, _: string, payload: Buffer) => void asked.push(`${engine} ${payload.toString()}`),
    },
    fence: { has: (flow: string) => has.has(flow), isLost: () => false },
    flowNews: {
      engineOf: (flow: string) => engines.get(flow) ?? null,
      isBetween: () => false,
      onPlaces: (listener: () => void) => {
        heard.places = listener
        return () => {}
      },
    },
    published: { all: () => [hall], get: () => hall, isPublishedByOthers: () => false, onChange: () => () => {} },
    lastValues: { newestOf: () => ({ us: 7 }), learn() {} },
    secrets: { mask: (value: unknown) => value },
    work: { written: async () => {} },
    runtime: {
      get: (flow: string) => (reads.has(flow) ? {} : undefined),
      reads: (flow: string) => reads.has(flow),
      onReads: (listener: (flow: string) => void) => {
        heard.reads = listener
        return () => {}
      },
      deliverFar: (_: string, { values }: { values: unknown[] }) => void delivered.push(...values),
      farReader: (host: FarFlowHost) => {
        reader = host
        areReading++
        return { read() {}, end: () => void areReading-- }
      },
    },
  } as never)
  const publish = (value: number): { isDone: boolean } => {
    const kept = { isDone: false }
    const work = { values: [{ message: 'porch.seen', value }], executions: 0, begun: [], ended: [] }
    void (reader as unknown as FarFlowHost).keep(work).then(() => (kept.isDone = true))
    return kept
  }
  const passTime = async (ms: number): Promise<void> => {
    await new Promise(setImmediate)
    await clock.advance(ms)
    await new Promise(setImmediate)
  }
  const turn = (to: 'begins' | 'ends'): void => {
    if (to === 'begins') reads.add('hall')
    else reads.delete('hall')
    heard.reads?.('hall')
  }
  // nobody runs it, and nobody is to
  values.open()
  expect(areReading).toBe(0)
  // this engine has taken it, and it is starting
  has.add('hall')
  heard.places?.()
  await passTime(20)
  expect(areReading).toBe(1)
  const early = publish(1)
  await passTime(5_000)
  expect(early.isDone).toBe(false)
  turn('begins')
  await passTime(500)
  expect(early.isDone).toBe(true)
  expect(delivered).toMatchObject([{ value: 1 }])
  expect(areReading).toBe(0)
  // it ends, and its place is not known to be given up before the next look
  engines.set('hall', 'this')
  turn('ends')
  expect(areReading).toBe(1)
  has.delete('hall')
  const late = publish(2)
  await passTime(5_000)
  expect([late.isDone, areReading]).toEqual([false, 1])
  engines.set('hall', 'other')
  heard.places?.()
  await passTime(500)
  expect(late.isDone).toBe(true)
  expect(asked).toMatchObject([expect.stringMatching(/^other \[\{"flow":"hall".*"value":2/)])
  // stopped by somebody: nothing is waited for
  const never = publish(3)
  engines.delete('hall')
  heard.places?.()
  await passTime(500)
  expect([never.isDone, areReading]).toEqual([true, 0])
  values.close()
})

test('what is watched here is told once it stays so, in whichever order; what is known there of it comes as a value (far-values.V4)', async () => {
  const clock = new VirtualClock(0)
  const told: string[] = []
  const hears = new Map<string, (payload: Buffer) => void>()
  const learned: unknown[] = []
  const values = new FarValues({
    clock,
    log,
    lease: { id: 'this', others: ['other'], onEngines() {} },
    links: {
      answer: () => () => {},
      hear: (subject: string, hearer: (payload: Buffer) => void) => {
        hears.set(subject, hearer)
        return () => {}
      },
      onChange: () => () => {},
      ask: async (engine: string, subject: string, payload: Buffer) => {
        told.push(`${engine} ${subject} ${payload.toString()}`)
        return Buffer.alloc(0)
      },
    },
    flowNews: { onPlaces: () => () => {} },
    published: { all: () => [], onChange: () => () => {} },
    lastValues: { hear: (...value: unknown[]) => void learned.push(value) },
    runtime: { onReads: () => () => {} },
    secrets: { mask: (value: unknown) => value },
  } as never)
  values.open()
  // a device that is wired anew follows nothing for a moment
  for (const messages of [['source.now', 'a.b'], [], ['a.b'], ['a.b', 'source.now']]) values.watch(messages)
  await clock.advance(20)
  values.watch([])
  values.watch(['source.now', 'a.b'])
  await clock.advance(1_000)
  expect(told).toEqual(['other values.watch ["a.b","source.now"]'])
  hears.get('values')?.(
    Buffer.from('[{"flow":null,"values":[{"message":"source.now","value":21,"us":1}],"executions":0}]'),
  )
  expect(learned).toEqual([['source.now', 21, 1]])
  values.close()
})

test('a flow that is about to start knows what is written of flows that nobody runs (far-values.V1)', async () => {
  const looked: (readonly string[])[] = []
  const values = new FarValues({
    clock: new VirtualClock(0),
    log,
    lease: { id: 'this', others: [] },
    links: {},
    fence: { has: (flow: string) => flow === 'porch' },
    published: { isPublishedByOthers: () => false },
    lastValues: { look: async (flows: readonly string[]) => void looked.push(flows) },
  } as never)
  const reads = ['porch.seen', 'attic.on', 'attic.off', 'hall.own'].map((message) => ({ direction: 'input', message }))
  await values.before({ name: 'hall', nodes: [{ ports: reads }] } as never)
  expect(looked).toEqual([['attic']])
})
