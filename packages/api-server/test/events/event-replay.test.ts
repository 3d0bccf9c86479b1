import { type EngineEvent, type RunSummary, timestampOfMs } from '@flow-service/protocol'
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
  executions: run === null ? 1 : null,
})
const run = (id: string, status: RunSummary['status']): RunSummary => ({
  id,
  flow: 'f',
  status,
  draft: false,
  seed: null,
  group_id: null,
  parent: null,
  idempotency_key: null,
  external_id: null,
  flow_version: 1,
  digest: null,
  commit: null,
  created_at: timestampOfMs(1),
  started_at: null,
  finished_at: null,
  duration_s: null,
  error: null,
  submitted_by: null,
  origin: 'engine',
  note: '',
  tags: [],
  pinned: false,
  archived: false,
  params: null,
  params_cut: null,
  results: null,
  metrics: null,
  progress: null,
})
const runEvent = (id: string, status: RunSummary['status']): EngineEvent => ({ type: 'run', run: run(id, status) })
const news = (snapshot: Partial<EngineSnapshot>, events: readonly EngineEvent[]): EngineEvent[] =>
  newsSince(
    { ...empty, ...snapshot },
    events.map((event, at) => eventText(event, { seq: at + 1, atMs: 1 })),
  ).map(({ event }) => event)

test('values from before the snapshot are in it, and none is told again', () => {
  const told = { values: [{ message: 'f.x', value: 2, ts: timestampOfMs(20) }] }
  expect(news(told, [value('f.x', 1), value('f.x', 2), value('f.x', 3)])).toEqual([])
  // its flow was deleted meanwhile
  expect(news({}, [value('f.x', 1)])).toEqual([])
})

test('states of a node that the snapshot shows are left out, those of any other are told', () => {
  const health: EngineEvent = { type: 'health', flow: 'f', node: 'n', status: 'down', message: null }
  const states = [node('running'), node('idle'), health]
  const idle = { nodes: [{ flow: 'f', node: 'n', status: 'idle', health: 'ok', message: null, error: null } as const] }
  expect(news(idle, states)).toEqual([])
  expect(news({}, states)).toEqual(states)
})

test('of the states of a run the last one is told, unless the snapshot says it', () => {
  const states = [runEvent('r', 'queued'), runEvent('r', 'running')]
  expect(news({ runs: [run('r', 'running')] }, states)).toEqual([])
  expect(news({ runs: [run('r', 'queued')] }, states)).toEqual([runEvent('r', 'running')])
  // over before the runs were read: it is not among the active ones
  expect(news({}, [...states, runEvent('r', 'ok')])).toEqual([runEvent('r', 'ok')])
})

test('the last state of a flow is always told: a snapshot has no versions', () => {
  const flow = (version: number): EngineEvent => ({ type: 'flow', name: 'f', status: 'active', held: 0, version })
  const told = { flows: [{ name: 'f', mode: 'live', status: 'active', held: 0 } as const] }
  expect(news(told, [flow(1), flow(2)])).toEqual([flow(2)])
})

test('emissions and node states of runs are all told', () => {
  const events = [value('f.x', 1, 'r1'), value('f.x', 1, 'r1'), node('running', 'r1'), node('running', 'r1')]
  expect(news({ values: [{ message: 'f.x', value: 1, ts: timestampOfMs(9) }] }, events)).toHaveLength(4)
})
