import type { EndedCascade, OverCascade } from '@flow-service/core'
import { expect, test } from 'vitest'

import { CascadeBuffer, rowsOf } from '../../src/observability/cascades.ts'

let made = 0
const record = (more: Partial<EndedCascade> = {}): EndedCascade => ({
  id: `01900000-0000-7000-8000-${String((made += 1)).padStart(12, '0')}`,
  flow: 'f',
  origin: { kind: 'publish', node: null, message: 'f.x' },
  run: null,
  status: 'ok',
  executions: 1,
  startedMs: 1000,
  endedMs: 1001,
  error: null,
  ...more,
})

/** As the runtime tells it: the record is made for who keeps it. */
function end(buffer: CascadeBuffer, more: Partial<EndedCascade> = {}): void {
  const { endedMs, ...cascade } = record(more)
  const over: OverCascade = { ...cascade, record: (atMs) => ({ ...cascade, endedMs: atMs }) }
  buffer.ended(over, endedMs)
}

test('of a flood of one flow a part is listed, what failed or lasted long before others; all are counted', () => {
  const buffer = new CascadeBuffer()
  for (let at = 0; at < 100_000; at++) end(buffer, { endedMs: 1001 + at / 100 })
  for (let at = 0; at < 300; at++) end(buffer, { status: 'error', endedMs: 2001 })
  for (let at = 0; at < 300; at++) end(buffer, { startedMs: 1000, endedMs: 2500 })
  end(buffer, { flow: 'quiet' })
  const { ended } = buffer.take()
  const counted = (fits: (of: EndedCascade) => boolean) => ended.filter(fits).length
  expect(counted(({ status }) => status === 'error')).toBe(300)
  expect(counted(({ startedMs, endedMs }) => endedMs - startedMs >= 1500)).toBe(300)
  expect(counted(({ flow }) => flow === 'quiet')).toBe(1)
  expect(ended.length).toBeLessThan(1000)
  expect(buffer.counts).toEqual({ ok: 100_301, error: 300, abandoned: 0, unlisted: 100_601 - ended.length })
  // it recovers
  end(buffer, { startedMs: 60_000, endedMs: 60_001 })
  expect(buffer.size).toBe(1)
})

test('what could not be written waits again, up to a bound', () => {
  const buffer = new CascadeBuffer()
  const many = Array.from({ length: 25_000 }, () => record())
  buffer.putBack({ ended: many, runs: [] })
  expect(buffer.size).toBe(20_000)
  expect(buffer.counts.unlisted).toBe(5_000)
  end(buffer, { flow: 'late' })
  expect(buffer.size).toBe(20_000)
  buffer.drop(({ flow }) => flow === 'f')
  expect(buffer.size).toBe(0)
})

test('no two cascades of a commit begin at the same microsecond', () => {
  const rows = rowsOf([record({ startedMs: 5, endedMs: 5 }), record({ startedMs: 5 }), record({ startedMs: 4 })])
  expect(rows.map(({ started_at }) => started_at.slice(17, 26))).toEqual(['00.004000', '00.005000', '00.005001'])
  expect(rows.every(({ started_at, finished_at }) => finished_at >= started_at)).toBe(true)
})
