import { CommanderError } from 'commander'
import { expect, test } from 'vitest'

import { arranged, meantBy } from '../src/grammar/spelling.ts'
import { program } from '../src/program.ts'

const arrange = (line: string): string => arranged(program(), line.split(' ')).join(' ')

test.each([
  ['--json flows list', 'flows list --json'],
  ['flows --json get climate', 'flows get --json climate'],
  ['--url http://a/api/v1 --token=t runs show x', 'runs show --url http://a/api/v1 --token=t x'],
  ['--json run fit lr=0.1 --json', 'run --json fit lr=0.1 --json'],
  ['flows get climate --json', 'flows get climate --json'],
  ['worker --url ws://a', 'worker --url ws://a'],
  ['--help', '--help'],
  ['flows help list', 'flows help list'],
])('options of an engine stand before or after the verb: "%s" is "%s"', (line, same) => {
  expect(arrange(line)).toBe(same)
})

test.each([
  ['flows', 'show', 'get'],
  ['flows', 'ls', 'list'],
  ['runs', 'get', 'show'],
  ['dashboards', 'get', 'show'],
])('"%s %s" is another word for "%s"', (group, word, verb) => {
  const found = program()
    .commands.find((each) => each.name() === group)
    ?.commands.find((each) => each.aliases().includes(word))
  expect(found?.name()).toBe(verb)
})

test.each([
  ['show', ['stop', 'start', 'list'], ['list']],
  ['view', ['get', 'set'], ['get']],
  ['gett', ['get', 'set', 'test'], ['get']],
  ['lsit', ['list', 'set', 'delete'], ['list']],
  ['strat', ['get', 'start', 'stop'], ['start']],
  ['frobnicate', ['get', 'start'], []],
])('"%s" among %j may have meant %j: nothing that changes for a word that reads', (word, verbs, meant) => {
  expect(meantBy(word, verbs)).toEqual(meant)
})

test('a word that is no verb ends the command with what it may have meant', () => {
  const root = program()
  const flows = root.commands.find((each) => each.name() === 'flows')
  const said: string[] = []
  flows?.exitOverride().configureOutput({ writeErr: (text) => said.push(text) })
  expect(() => arranged(root, ['--json', 'flows', 'lsit'])).toThrow(CommanderError)
  expect(said.join('')).toBe("error: unknown command 'lsit'\n(Did you mean list?)\n(see --help)\n")
})
