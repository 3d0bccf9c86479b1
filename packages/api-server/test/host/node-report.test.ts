import { expect, test } from 'vitest'

import { createEventBus } from '../../src/events/event-bus.ts'
import { nodeLogOf, type NodeReport } from '../../src/host/node-report.ts'

const place = { flow: 'hall', node: 'lamp' }

test('what a node prints is an entry of the log, without the end of its last line', () => {
  const entries: unknown[] = []
  const log = { info: (at: object, text: string) => void entries.push({ ...at, text }) }
  const bus = createEventBus(() => {})
  nodeLogOf({ onNodeReport: null, bus, log }).info(place, 'first\n  second\n')
  expect(entries).toEqual([{ ...place, text: 'first\n  second' }])
})

test('a listener gets it in place of the log, as it was printed, and hears of each failure once', () => {
  const reports: NodeReport[] = []
  const entries: unknown[] = []
  const log = { info: (at: object) => void entries.push(at) }
  const bus = createEventBus(() => {})
  nodeLogOf({ onNodeReport: (report) => void reports.push(report), bus, log }).info(place, 'first\n')
  const node = { type: 'node', ...place, run: null, status: 'failed', cached: false, executions: 1 } as const
  const tell = (message: string | null): void =>
    bus.publish({ ...node, error: message === null ? null : { type: 'Error', message } }, Date.UTC(2026, 0, 1))
  for (const message of ['no bulb', 'no bulb', 'no power', null, 'no power']) tell(message)
  expect(reports).toEqual([
    { ...place, is: 'print', text: 'first\n' },
    { ...place, is: 'failure', text: 'no bulb' },
    { ...place, is: 'failure', text: 'no power' },
    { ...place, is: 'failure', text: 'no power' },
  ])
  expect(entries).toEqual([])
})
