/** `service commands try` as a process: sentences in, readings out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'cli-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tryWith = (args: string[], input = ''): Promise<Ended> =>
  runService(['commands', 'try', ...args], { cwd: folder, input })

test('a sentence needs no engine, and a house that cannot be is refused before anything is read', async () => {
  const { code, out, err } = await tryWith(['mumble', 'grumble', '--dark', '--presence', 'living room'])
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('speaker  in the living room; outside 20 °C, dark\n')
  expect(out).toMatch(/^Nothing is done: /m)
  const cases: [string[], string][] = [
    [['x', '--presence', 'moon'], '"moon" is no area; give --presence one of living_room, '],
    [['--device', 'cellar_light=on'], '"cellar_light" is no device; '],
    [['x', '--outdoor', '-20'], '-20 is out of range; '],
    [['x', '--outdoor', 'cold'], 'Give a number.'],
    [['x', '--dark', '--light'], 'cannot be used with option'],
    [['x', '--node', 'voice'], '"voice" is a node of which flow? give --flow too'],
  ]
  for (const [args, text] of cases) {
    const refused = await tryWith(args, 'lights on\n')
    expect([args, refused.code, refused.out, refused.err]).toEqual([args, 2, '', expect.stringContaining(text)])
  }
})

test('a pipe brings a sentence on each line; as JSON, each is a document on a line', async () => {
  const { code, out } = await tryWith(['--light'], 'mumble\n\ngrumble\n')
  expect(code).toBe(0)
  expect(out.split('\n').filter((line) => line.startsWith('> ') || line.startsWith('house'))).toEqual([
    'house    a full one; yours by --device, or by --flow',
    '> mumble',
    '> grumble',
  ])
  const { out: documents } = await tryWith(['--json', '--device', 'kitchen_light=on'], 'mumble\ngrumble\n')
  expect(
    documents
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([
    { sentence: 'mumble', context: { devices: { length: 7 } }, readings: [] },
    { sentence: 'grumble', min_confidence: 0.93 },
  ])
})
