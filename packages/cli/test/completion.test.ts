import { expect, test } from 'vitest'

import { typedLine, wantedAt } from '../src/completion.ts'
import { isList, wordsAt } from '../src/place-words.ts'
import { program } from '../src/program.ts'

const at = (line: string) => wantedAt(program(), typedLine(line))
const listed = (line: string) => at(line).listed.map(({ word }) => word)

test.each([
  ['service run', ['service'], 'run'],
  ['service runs ', ['service', 'runs'], ''],
  [`service a\\ b 'c "d' "e \\" f"`, ['service', 'a b', 'c "d'], 'e " f'],
  [`service '' x`, ['service', ''], 'x'],
  ['A=1 B= service runs', ['service'], 'runs'],
  ['', [], ''],
])('the words of <%s> are those that a shell sees', (line, words, current) => {
  expect(typedLine(line)).toMatchObject({ words, current, quoted: false })
})

test('a word within open quotes is known as such', () => {
  expect(typedLine('service "some fi')).toEqual({ words: ['service'], current: 'some fi', quoted: true })
})

test('verbs come with what they do, and verbs below them', () => {
  expect(at('service ').listed).toContainEqual({ word: 'runs', about: 'runs of batch flows' })
  expect(listed('service ')).not.toContain('__complete')
  expect(listed('service runs ')).toContain('compare')
  // another word for a verb is understood, and not offered
  expect(listed('service devices ls --')).toContain('--json')
  expect(listed('service devices ')).not.toContain('ls')
  expect(listed('service runs compare loss ')).toEqual([])
})

test('options are those of the verb, and of the one that is meant without a verb', () => {
  expect(listed('service runs compare loss --')).toEqual(expect.arrayContaining(['--by', '--min', '--help']))
  expect(listed('service users --')).toContain('--data')
  expect(listed('service --')).toEqual(expect.arrayContaining(['--json', '--url', '--token']))
  expect(listed('service runs --json -')).not.toContain('--json')
})

test('an option that is there is not offered again, unless it may be repeated', () => {
  const words = listed('service run fit --seed 7 -p lr=1 --watch --')
  expect(words).toContain('--param')
  expect(words).not.toContain('--seed')
  expect(words).not.toContain('--watch')
})

test('values of an option stand behind it, or behind =', () => {
  expect(at('service runs export --format ')).toMatchObject({ kept: '', listed: [{ word: 'csv' }, { word: 'jsonl' }] })
  expect(at('service runs export --format=c')).toMatchObject({ kept: '--format=', typed: 'c' })
  expect(at('service runs export --no=c').listed.length).toBeGreaterThan(0)
  expect(listed('service completion ')).toEqual(['bash', 'zsh', 'fish'])
})

test('behind -- there are no options', () => {
  expect(listed('service run fit -- -')).toEqual([])
  expect(at('service run fit -- -').place).toMatchObject({ name: 'name=value', given: ['fit'] })
})

test('a place knows what stands before it', () => {
  expect(at('service flows trigger fit ').place).toEqual({
    name: 'node',
    option: null,
    verbs: ['flows', 'trigger'],
    given: ['fit'],
    values: new Map(),
  })
  expect(at('service --url http://a/api/v1 runs show ').place?.values.get('--url')).toBe('http://a/api/v1')
})

test.each([
  ['service validate ', 'files'],
  ['service sweep fit --file ', 'files'],
  ['service runs export -o ', 'files'],
  ['service dev ', 'folders'],
  ['service connectors new a --dir ', 'folders'],
])('behind <%s> there are %s', async (line, what) => {
  expect(await wordsAt(at(line).place!)).toBe(what)
})

test.each([
  ['service runs list --status ', 'cancelled'],
  ['service alerts set --event ', 'run_error'],
  ['service alerts test ', 'push'],
  ['service keys create a --scope ', 'runs:write'],
  ['service connectors new a --kind ', 'served'],
])('behind <%s> there is the closed list with %s', async (line, word) => {
  expect(await wordsAt(at(line).place!)).toContainEqual({ word })
})

test('statuses and flows are lists with commas', () => {
  expect([at('service runs list --status ').place!, at('service runs list --flow ').place!].map(isList)).toEqual([
    true,
    true,
  ])
  expect(isList(at('service run ').place!)).toBe(false)
})
