import { cronFault } from '@flow-service/connector-sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { VirtualClock } from '../src/testing.ts'
import { startCron } from '../src/timers.ts'

const START = Date.UTC(2026, 0, 31, 8)
const DAY = 86_400_000
const QUARTER = 15 * 60_000

/** When a pattern fires in some days from a time on, as the clocks of its zone show it. */
async function firings(pattern: string, zone: string, from: string, days: number): Promise<Date[]> {
  const clock = new VirtualClock(Date.parse(from))
  const times: Date[] = []
  const cancel = startCron({ clock, timeZone: zone }, pattern, () => times.push(new Date(clock.now())))
  await clock.advance(days * DAY)
  cancel.end()
  expect(clock.pending).toBe(0)
  return times
}

const shown = (zone: string) => (time: Date) => time.toLocaleString('sv', { timeZone: zone }).slice(5, 16)

describe('where clocks change', () => {
  test.each([
    // an hour at 02:00, forward and back
    ['Europe/Berlin', '30 2 * * *', '2026-03-27T12:00Z', ['03-28 02:30', '03-29 03:00', '03-30 02:30']],
    ['Europe/Berlin', '30 2 * * *', '2026-10-23T12:00Z', ['10-24 02:30', '10-25 02:30', '10-26 02:30']],
    // an hour at midnight: the day begins at 01:00, or has 23:00 twice
    ['America/Sao_Paulo', '30 0 * * *', '2018-11-02T12:00Z', ['11-03 00:30', '11-04 01:00', '11-05 00:30']],
    ['America/Sao_Paulo', '30 23 * * *', '2018-02-16T12:00Z', ['02-16 23:30', '02-17 23:30', '02-18 23:30']],
    // half an hour at 02:00
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-02T12:00Z', ['10-03 02:15', '10-04 02:30', '10-05 02:15']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-03T12:00Z', ['04-04 01:45', '04-05 01:45', '04-06 01:45']],
  ])('in %s "%s" fires once each day from %s on, and where it falls into a gap at its end [F40]', async (...row) => {
    const [zone, pattern, from, expected] = row
    expect((await firings(pattern, zone, from, 3)).map(shown(zone))).toEqual(expected)
  })

  test.each([
    ['Europe/Berlin', '2026-03-28T12:00Z'],
    ['Europe/Berlin', '2026-10-24T12:00Z'],
    ['America/Sao_Paulo', '2018-11-03T12:00Z'],
    ['America/Sao_Paulo', '2018-02-17T12:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T12:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T12:00Z'],
  ])('in %s from %s on "*/15" fires every fifteen real minutes [F40]', async (zone, from) => {
    const times = await firings('*/15 * * * *', zone, from, 1)
    const expected = Array.from({ length: 96 }, (_, at) => new Date(Date.parse(from) + (at + 1) * QUARTER))
    expect(times).toEqual(expected)
  })
})

describe('five fields', () => {
  test.each([
    ['0 12 13 * fri', ['02-06', '02-13', '02-20', '02-27', '03-06', '03-13', '03-20', '03-27']],
    ['0 12 29 2 *', []],
    ['0 12 * 2 7', ['02-01', '02-08', '02-15', '02-22']],
    ['0 12 * feb SUN', ['02-01', '02-08', '02-15', '02-22']],
    ['0 12 31 * *', ['01-31', '03-31']],
    ['0 12 1-31/15 * *', ['01-31', '02-01', '02-16', '03-01', '03-16', '03-31', '04-01']],
    ['0 12 5,7 mar *', ['03-05', '03-07']],
    // a step over all days is no restriction: both have to match
    ['0 12 */2 * mon', ['02-09', '02-23', '03-09', '03-23']],
    ['0 12 1,15 * */6', ['02-01', '02-15', '03-01', '03-15']],
    ['0 12 *,5 * 1', ['02-02', '02-09', '02-16', '02-23', '03-02', '03-09', '03-16', '03-23', '03-30']],
  ])('"%s" fires on its days: either day counts, Sunday is 0 and 7 [R245] [F41]', async (pattern, expected) => {
    const times = await firings(pattern, 'UTC', '2026-01-31T00:00Z', 61)
    expect(times.map((time) => time.toISOString().slice(5, 10))).toEqual(expected)
  })

  test('a leap day comes in its year [F41]', async () => {
    expect(await firings('0 0 29 2 *', 'UTC', '2026-01-31T00:00Z', 800)).toEqual([new Date('2028-02-29T00:00Z')])
  })

  test.each([
    ['* * * * * *', 'has 6 fields; use five: minute hour day month weekday'],
    ['', 'has 1 fields'],
    ['@daily', 'has 1 fields'],
    ['@reboot * * * *', '"@reboot" as minute'],
    ['60 * * * *', '"60" as minute; use 0-59'],
    ['-1 * * * *', '"-1" as minute'],
    ['*/0 * * * *', '"*/0" as minute'],
    ['*/61 * * * *', '"*/61" as minute'],
    ['5/10 * * * *', '"5/10" as minute; use 0-59, *, a-b, */n or a-b/n'],
    ['5-1 * * * *', '"5-1" as minute'],
    ['1,,2 * * * *', '"" as minute'],
    ['? * * * *', '"?" as minute'],
    ['* 24 * * *', '"24" as hour'],
    ['* 1.5 * * *', '"1.5" as hour'],
    ['0 0 L * *', '"L" as day of the month'],
    ['0 0 15W * *', '"15W" as day of the month'],
    ['0 0 32 * *', '"32" as day of the month'],
    ['0 0 * 13 *', '"13" as month'],
    ['0 0 * foo *', '"foo" as month'],
    ['0 0 * * 1#2', '"1#2" as day of the week'],
    ['0 0 * * 5L', '"5L" as day of the week'],
    ['0 0 * * +1', '"+1" as day of the week'],
    ['0 0 * * 8', '"8" as day of the week'],
    ['0 0 * * fri-sun', '"fri-sun" as day of the week'],
    ['0 0 30 2 *', 'names a day that its months never have'],
    ['0 0 30 2 */2', 'names a day that its months never have'],
    ['0 0 30-31/1 feb *', 'names a day that its months never have'],
    ['0 0 31 4,6-9/3,11 *', 'names a day that its months never have'],
    [`${'1,'.repeat(5000)}x * * * *`, 'as minute'],
  ])('"%s" is refused: it %s [R245] [F41]', (pattern, text) => {
    const start = () => startCron({ clock: new VirtualClock(START), timeZone: 'UTC' }, pattern, () => {})
    expect(start).toThrow(RangeError)
    expect(start).toThrow(text)
    expect(cronFault(pattern)?.length).toBeLessThan(500)
  })

  const number = fc.nat({ max: 65 }).map(String)
  const word = fc.constantFrom('*', 'jan', 'SEP', 'sun', 'sat', '?', 'L', 'W', '#', '@', '')
  const range = fc.oneof(
    { weight: 3, arbitrary: number },
    word,
    fc.tuple(number, number).map((two) => two.join('-')),
  )
  const item = fc.oneof(
    { weight: 3, arbitrary: range },
    fc.tuple(range, number).map((two) => two.join('/')),
  )
  const field = fc.oneof(
    { weight: 4, arbitrary: fc.constant('*') },
    fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
  )

  test('whatever passes the check can be followed, and comes [F41]', () => {
    let passed = 0
    const pattern = fc.array(field, { minLength: 5, maxLength: 5 }).map((fields) => fields.join(' '))
    fc.assert(
      fc.property(pattern, (text) => {
        const clock = new VirtualClock(START)
        if (cronFault(text) !== null) return
        passed += 1
        startCron({ clock, timeZone: 'UTC' }, text, () => {})
        expect([text, clock.pending]).toEqual([text, 1])
      }),
      { numRuns: 3000 },
    )
    expect(passed).toBeGreaterThan(100)
  })
})
