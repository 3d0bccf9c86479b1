/** What a socket is told whose peer reads slowly, whatever happens meanwhile (wire decision V20). */
import type { EngineEvent } from '@flow-service/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { COALESCE_BYTES, EventReader, type Outlet } from '../../src/events/event-reader.ts'
import { eventText, type EventText } from '../../src/events/event-text.ts'
import { sharedFrames } from '../../src/events/shared-frames.ts'
import { valueEvent } from './sockets.ts'

interface Told {
  readonly type: string
  readonly seq: number
  readonly message?: string
  readonly run?: string | null
  readonly value?: number
  readonly executions?: number
}

/** A socket whose peer takes what it has been sent when it is told to, and a reader that numbers as an engine does. */
class SlowPeer {
  readonly told: Told[] = []
  readonly outlet = { readyState: 1, bufferedAmount: 0 }
  readonly reader: EventReader
  closed = false
  #seq = 0

  readonly #isShared: boolean

  constructor(way: 'alone' | 'shared' | 'batched') {
    this.#isShared = way === 'shared'
    const send = (text: Buffer): void => {
      const frame = JSON.parse(text.toString()) as Told | Told[]
      this.told.push(...[frame].flat())
      // each frame fills the socket, so that all that follows waits
      this.outlet.bufferedAmount += COALESCE_BYTES + 1
    }
    const close = (): void => void (this.closed = true)
    this.reader = new EventReader(Object.assign(this.outlet, { send, close }) as unknown as Outlet, {
      wire: { write: (frame: Buffer) => (send(frame.subarray(frame[1] === 126 ? 4 : 2)), true) },
      next: () => (this.#seq += 1),
      batched: way === 'batched',
    })
  }
  publish(event: EngineEvent): void {
    const text: EventText = eventText(event, { seq: (this.#seq += 1), atMs: 1 })
    const [frames] = this.#isShared ? sharedFrames([text]) : []
    if (!frames || !this.reader.shared(frames)) this.reader.events([{ text, media: null }])
  }
  refuse(): void {
    this.reader.error({ kind: 'refused', code: 'unknown_frame', detail: '' })
  }
  read(): void {
    this.outlet.bufferedAmount = 0
    this.reader.drained()
  }
}

const nodeEvent = (executions: number): EngineEvent => ({
  type: 'node',
  flow: 'f',
  node: 'n',
  run: null,
  status: 'idle',
  cached: false,
  error: null,
  executions,
})
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('value' as const), of: fc.nat(2), run: fc.nat(2) }) },
  fc.record({ what: fc.constant('node' as const) }),
  fc.record({ what: fc.constant('refuse' as const) }),
  fc.record({ what: fc.constant('read' as const) }),
)
const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))
const sourceOf = ({ message, run }: Told): string => `${message} ${run}`

describe.each([
  ['frames', 'alone'],
  ['frames that other sockets share', 'shared'],
  ['arrays', 'batched'],
] as const)('of %s', (_, way) => {
  test('each event has a larger number, no value is older than the one before, and at last the newest has come', () => {
    const program = fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const peer = new SlowPeer(way)
      const newest = new Map<string, number>()
      let nodes = 0
      for (const [at, of] of acts.entries()) {
        if (of.what === 'read') peer.read()
        else if (of.what === 'refuse') peer.refuse()
        else if (of.what === 'node') peer.publish(nodeEvent((nodes += 1)))
        else {
          const run = of.run === 0 ? null : `run${of.run}`
          peer.publish({ ...valueEvent(`f.m${of.of}`, at), run })
          newest.set(`f.m${of.of} ${run}`, at)
        }
      }
      for (const _act of acts) peer.read()

      expect(isAscending(peer.told.map(({ seq }) => seq))).toBe(true)
      const executions = peer.told.filter(({ type }) => type === 'node').map((frame) => frame.executions)
      expect(executions).toEqual(Array.from({ length: nodes }, (__, at) => at + 1))
      const values = Map.groupBy(
        peer.told.filter(({ type }) => type === 'value'),
        sourceOf,
      )
      for (const [, frames] of values) expect(isAscending(frames.map(({ value = -1 }) => value))).toBe(true)
      expect(new Map([...values].map(([source, frames]) => [source, frames.at(-1)?.value]))).toEqual(newest)
    })
    fc.assert(program)
  })

  test('while nothing is read, 100,000 values wait as the newest of each message, and no more', () => {
    const peer = new SlowPeer(way)
    for (let at = 0; at < 100_000; at += 1) peer.publish(valueEvent(`f.m${at % 10}`, at))
    expect(peer.told).toHaveLength(1)
    for (let at = 0; at < 100; at += 1) peer.read()
    const values = peer.told.map(({ value = -1 }) => value).toSorted((a, b) => a - b)
    expect(values).toEqual([0, ...Array.from({ length: 10 }, (__, at) => 99_990 + at)])
    expect(peer.closed).toBe(false)
  })

  test('while nothing is read, events that must not be left out end the socket before 150,000 wait', () => {
    const peer = new SlowPeer(way)
    let count = 0
    while (!peer.closed && count < 200_000) peer.publish(nodeEvent((count += 1)))
    expect(count).toBeLessThan(150_000)
    peer.outlet.readyState = 2
    peer.read()
    expect(peer.told).toHaveLength(1)
  })
})
