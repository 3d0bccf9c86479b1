import { expect, test } from 'vitest'

import { createEventBus } from '../../src/events/event-bus.ts'
import { nodeReports, type NodeReport } from '../../src/host/node-report.ts'

const place = { flow: 'hall', node: 'lamp' }

test('what a node prints is an entry of the log, without the end of its last line', () => {
  const entries: unknown[] = []
  const log = { info: (at: object, text: string) => void entries.push({ ...at, text }) }
  const bus = createEventBus(() => {})
  nodeReports({ onNodeReport: null, bus, log }).log.info(place, 'first\n  second\n')
  expect(entries).toEqual([{ ...place, text: 'first\n  second' }])
})

test('a listener gets it in place of the log, as it was printed, and hears of runs, failures, payloads and health', () => {
  const reports: NodeReport[] = []
  const entries: unknown[] = []
  const log = { info: (at: object) => void entries.push(at) }
  const bus = createEventBus(() => {})
  const told = nodeReports({ onNodeReport: (report) => void reports.push(report), bus, log })
  told.log.info(place, 'first\n')
  const atMs = Date.UTC(2026, 0, 1)
  bus.publish({ type: 'log', ...place, run: 'r1', offset: 0, text: 'of a run\n' }, atMs)
  // live nodes have said it already
  bus.publish({ type: 'log', ...place, run: null, offset: 0, text: 'first\n' }, atMs)
  bus.publish({ type: 'health', ...place, status: 'down', message: 'no bulb' }, atMs)
  told.nodeFailed({ ...place, run: 'r1', type: 'Error', message: 'no power', traceback: 'Error: no power' })
  told.dropped({ ...place, message: 'hall.on', value: 1, reason: 'overflow', cascade: null })
  told.payloadRefused({ flow: 'hall', node: null, message: 'message "hall.on" is bool, which 1 is not' })
  expect(reports).toEqual([
    { ...place, run: null, is: 'print', text: 'first\n' },
    { ...place, run: 'r1', is: 'print', text: 'of a run\n' },
    { ...place, run: null, is: 'health', health: 'down', text: 'no bulb' },
    { ...place, run: 'r1', is: 'failure', type: 'Error', text: 'no power', traceback: 'Error: no power' },
    { ...place, run: null, is: 'dropped', message: 'hall.on', reason: 'overflow' },
    { flow: 'hall', node: null, run: null, is: 'refused', text: 'message "hall.on" is bool, which 1 is not' },
  ])
  expect(entries).toEqual([])
})
