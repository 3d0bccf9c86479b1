/** `service commands try` as a process: sentences in, readings out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'
import { publish, startService } from './service.ts'

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

const input = (name: string, dtype: string) => ({ direction: 'input', name, dtype })
const output = (port: string, name: string, dtype: string) => ({ direction: 'output', port, name, dtype })
const listener = (id: string, settings: object = {}, more: object[] = []) => ({
  id,
  type: 'commands_lm',
  settings,
  ports: [
    input('prompt', 'str'),
    ...['presence', 'outdoor', 'dark'].map((name, at) => ({
      ...input(name, ['str', 'float', 'bool'][at] ?? ''),
      trigger: false,
    })),
    { direction: 'output', name: `${id}_actions`, port: 'actions', dtype: 'array' },
    ...more,
  ],
})

test('the house of a flow has what its node is wired to, with the values of now, where the speaker is and what applies', async () => {
  await using at = await startService()
  const targets = [output('kitchen_lamp', 'lamp', 'str'), output('office_tv', 'tv', 'int')]
  await publish(at, 'home', {
    mode: 'live',
    inputs: [
      { name: 'presence', dtype: 'str', initial: 'Living room' },
      { name: 'outdoor', dtype: 'float', initial: 50 },
      { name: 'dark', dtype: 'bool', initial: true },
      { name: 'lamp', dtype: 'str' },
    ],
    nodes: [listener('voice', { apply: true, min_confidence: 0.5 }, targets)],
  })
  await at.send('POST', '/messages/home.lamp', { value: 'off' })
  const asked = (args: string[], text = '') =>
    runService(['commands', 'try', ...args, '--url', at.baseUrl, '--token', at.token], { cwd: folder, input: text })
  const { out } = await asked(['--flow', 'home', 'kitchen lamp on and stop the telly in the office'])
  expect(out.split('\n').slice(0, 8)).toEqual([
    'speaker  in the living room; outside 30 °C, dark',
    'house    home.voice',
    'wired    kitchen_light=off, office_media',
    'writes   from a confidence of 0.5',
    '',
    expect.stringMatching(/^CALL /),
    expect.stringMatching(/^lights_on +kitchen +- +now +[\d.]+ +home\.lamp = on$/),
    expect.stringMatching(/^media_stop +office +- +now +[\d.]+ +no: home\.tv has no value for it$/),
  ])
  const changed = await asked(['--flow', 'home', '--device', 'kitchen_light=on', '--outdoor', '3', 'x'])
  expect(changed.out).toMatch(/outside 3 °C[^]*kitchen_light=on, office_media/)

  // what is drafted is not what runs
  const { body } = await at.send('GET', '/flows/home')
  await at.send('PUT', '/flows/home', { ...body, nodes: [listener('voice'), listener('other')] })
  expect((await asked(['--flow', 'home', 'x'])).out).toContain('home.voice')
  await at.send('PUT', '/flows/drafted', { mode: 'live', nodes: [listener('a'), listener('b')] })
  expect((await asked(['--flow', 'drafted', '--node', 'b', 'x'])).out).toMatch(
    /drafted\.b\nwired +nothing\nwrites +nothing: "apply" is off/,
  )
  await at.send('PUT', '/flows/other', { mode: 'live' })
  const cases: [string[], number, string][] = [
    [['drafted'], 2, 'the flow "drafted" has several nodes of type commands_lm; give --node one of a, b'],
    [['drafted', '--node', 'c'], 2, 'the flow "drafted" has no node "c" of type commands_lm; give --node one of a, b'],
    [['other'], 1, 'the flow "other" has no node of type commands_lm'],
    [['nowhere'], 1, 'there is no flow "nowhere"'],
    [
      ['home', '--device', 'garden_light=on'],
      2,
      'garden_light is not wired in home.voice, which has kitchen_light, office_media',
    ],
  ]
  for (const [args, code, text] of cases) {
    const refused = await asked(['--flow', ...args], 'lights on\n')
    expect([args, refused.code, refused.out, refused.err]).toEqual([args, code, '', expect.stringContaining(text)])
  }
})
