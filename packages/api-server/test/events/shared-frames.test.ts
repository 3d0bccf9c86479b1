/** Frames that sockets of one interest share: on the wire they are what each would have been sent alone. */
import { once } from 'node:events'
import type { Socket } from 'node:net'

import type { EngineEvent, EventFrame } from '@flow-service/protocol'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { flowEvent, openRaw, useSockets, type TestClient, type TestSockets, valueEvent } from './sockets.ts'

let at: TestSockets
useSockets((started) => {
  at = started
})
afterEach(() => void vi.restoreAllMocks())

/** The values and names that a client was told. */
const told = (frames: readonly EventFrame[]): unknown[] =>
  frames.flatMap((frame) => {
    if (frame.type === 'value') return [frame.value]
    return frame.type === 'flow' ? [frame.name] : []
  })

async function opened(count: number, query = ''): Promise<TestClient[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => at.open(query)))
  await Promise.all(clients.map((client) => client.next(1)))
  return clients
}

const textEvent = (message: string, value: string): EngineEvent => ({ ...valueEvent(message, 0), value })

test('sockets of one interest are told of a turn by one write of the same bytes, others by their own', async () => {
  const [first, second] = await opened(2)
  const [ofG] = await opened(1, '?flows=g')
  const [ofFlows] = await opened(1, '?kinds=flow')
  const writes = at.served.map((socket) =>
    vi.spyOn(
      (socket as unknown as { readonly _socket: Socket })._socket as { write: (part: Buffer) => boolean },
      'write',
    ),
  )
  at.bus.publish(valueEvent('f.x', 1), 5)
  at.bus.publish(valueEvent('g.x', 2), 5)
  at.bus.publish(flowEvent('g'), 5)
  await Promise.all([first?.next(4), second?.next(4), ofG?.next(3), ofFlows?.next(2)])
  expect([first, second, ofG, ofFlows].map((client) => told(client?.frames ?? []))).toEqual([
    [1, 2, 'g'],
    [1, 2, 'g'],
    [2, 'g'],
    ['g'],
  ])
  const [toFirst, toSecond] = writes.map(({ mock }) => mock.calls)
  expect(toFirst).toHaveLength(1)
  expect(toFirst?.[0]?.[0]).toBe(toSecond?.[0]?.[0])
  expect(first?.frames.slice(1)).toEqual(second?.frames.slice(1))
})

describe('a text of', () => {
  // the frame of a value has 148 bytes around its text: below and above the bounds of the three lengths of RFC 6455
  test.each([0, 1, 40, 65_386, 65_387, 65_388, 65_389, 65_390, 200_000])('%i bytes comes as it was', async (size) => {
    const [one, other] = await opened(2)
    const text = size > 3 ? `ü${'x'.repeat(size - 2)}` : 'x'.repeat(size)
    at.bus.publish(textEvent('f.x', text), 5)
    at.bus.publish(textEvent('f.y', 'end'), 5)
    expect(told((await one?.next(3)) ?? [])).toEqual([text, 'end'])
    expect(told((await other?.next(3)) ?? [])).toEqual([text, 'end'])
  })
})

test('a frame below 126 bytes has the short head', async () => {
  const [one, other] = await opened(2, '?kinds=modules')
  at.bus.publish({ type: 'modules', state: 'ready', progress: null, error: null }, 5)
  at.bus.publish(valueEvent('f.x', 1), 5)
  expect((await one?.next(2))?.[1]).toMatchObject({ type: 'modules', state: 'ready', error: null })
  expect((await other?.next(2))?.[1]).toEqual(one?.frames[1])
})

test('one that does not read waits and loses nothing but older values, while its audience hears everything', async () => {
  const [reading] = await opened(1)
  const stalled = await openRaw(at.port)
  stalled.pause()
  const sizes = 40
  for (let number = 0; number < sizes; number++) {
    at.bus.publish(textEvent('f.x', `${number} ${'x'.repeat(500_000)}`), 5)
    at.bus.publish(flowEvent(`f${number}`), 5)
    // oxlint-disable-next-line no-await-in-loop -- a turn for each
    await at.turn()
  }
  await reading?.next(1 + 2 * sizes)
  expect(told(reading?.frames ?? [])).toHaveLength(2 * sizes)
  let text = ''
  stalled.on('data', (part: Buffer) => (text += part.toString('latin1')))
  stalled.resume()
  await vi.waitFor(() => expect(text).toContain(`"name":"f${sizes - 1}"`), { timeout: 120_000 })
  const names = [...text.matchAll(/"name":"(f\d+)"/g)].map(([, name]) => name)
  expect(names).toEqual(Array.from({ length: sizes }, (_, number) => `f${number}`))
  const values = [...text.matchAll(/"value":"(\d+) /g)].map(([, number]) => Number(number))
  expect(values.at(-1)).toBe(sizes - 1)
  expect(values).toEqual(values.toSorted((a, b) => a - b))
  const numbers = [...text.matchAll(/"seq":(\d+)/g)].map(([, number]) => Number(number))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  stalled.destroy()
  await once(stalled, 'close')
})
