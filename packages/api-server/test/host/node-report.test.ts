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

test('a listener gets it in place of the log, as it was printed, and hears of failures', () => {
  const reports: NodeReport[] = []
  const entries: unknown[] = []
  const log = { info: (at: object) => void entries.push(at) }
  const bus = createEventBus(() => {})
  nodeLogOf({ onNodeReport: (report) => void reports.push(report), bus, log }).info(place, 'first\n')
  const node = { type: 'node', ...place, run: null, status: 'failed', cached: false } as const
  bus.publish({ ...node, error: { type: 'Error', message: 'no bulb' } }, Date.UTC(2026, 0, 1))
  bus.publish({ ...node, error: null }, Date.UTC(2026, 0, 1))
  expect(reports).toEqual([
    { ...place, is: 'print', text: 'first\n' },
    { ...place, is: 'failure', text: 'no bulb' },
  ])
  expect(entries).toEqual([])
})
