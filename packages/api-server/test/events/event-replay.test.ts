import type { EngineEvent } from '@flow-service/protocol'
import { timestampOfMs } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { type EngineSnapshot, newsSince } from '../../src/events/event-replay.ts'
import { eventText } from '../../src/events/event-text.ts'

const empty: EngineSnapshot = { flows: [], nodes: [], values: [], health: [], runs: [] }
const value = (message: string, v: number, run: string | null = null): EngineEvent => ({
  type: 'value',
  message,
  value: v,
  flow: 'f',
  node: 'n',
  port: 'p',
  run,
  step: null,
})
const node = (status: 'idle' | 'running' | 'failed', run: string | null = null): EngineEvent => ({
  type: 'node',
  flow: 'f',
  node: 'n',
  run,
  status: run === null ? status : 'running',
  cached: false,
  error: null,
})
const news = (snapshot: Partial<EngineSnapshot>, events: readonly (readonly [EngineEvent, number])[]): EngineEvent[] =>
  newsSince(
    { ...empty, ...snapshot },
    events.map(([event, atMs]) => eventText(event, atMs)),
  ).map(({ event }) => event)

test('values before the one in the snapshot and that one itself are left out, later ones are told', () => {
  const told = { values: [{ message: 'f.x', value: 2, ts: timestampOfMs(20) }] }
  const gathered = [
    [value('f.x', 1), 10],
    [value('f.x', 2), 20],
    [value('f.x', 3), 30],
    [value('f.x', 4), 40],
  ] as const
  expect(news(told, gathered)).toEqual([value('f.x', 3), value('f.x', 4)])
  expect(news(told, gathered.slice(0, 2))).toEqual([])
})

test('the last value is told when the snapshot has another one, whatever the clocks say', () => {
  const told = { values: [{ message: 'f.x', value: 2, ts: timestampOfMs(20.002) }] }
  expect(
    news(told, [
      [value('f.x', 2), 20],
      [value('f.x', 3), 20],
    ]),
  ).toEqual([value('f.x', 3)])
})

test('what is told last is always what the snapshot or the last event says, also when two clocks differ', () => {
  const told = { values: [{ message: 'f.x', value: 2, ts: timestampOfMs(5) }] }
  const gathered = [
    [value('f.x', 1), 10],
    [value('f.x', 2), 20],
  ] as const
  expect(news(told, gathered)).toEqual([value('f.x', 1), value('f.x', 2)])
})

test('of the states of a node the last one is told, and only when it is news', () => {
  const states = [
    [node('running'), 1],
    [node('idle'), 2],
  ] as const
  const idle = { nodes: [{ flow: 'f', node: 'n', status: 'idle', health: 'ok', message: null, error: null } as const] }
  expect(news(idle, states)).toEqual([])
  expect(news({}, states)).toEqual([node('idle')])
})

test('emissions and node states of runs are all told', () => {
  const events = [
    [value('f.x', 1, 'r1'), 1],
    [value('f.x', 1, 'r1'), 2],
    [node('running', 'r1'), 3],
    [node('running', 'r1'), 4],
  ] as const
  expect(news({ values: [{ message: 'f.x', value: 1, ts: timestampOfMs(9) }] }, events)).toHaveLength(4)
})
