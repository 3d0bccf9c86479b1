import type { Command } from 'commander'
import { expect, test } from 'vitest'

import { program } from '../src/program.ts'

interface Leaf {
  readonly words: string
  readonly command: Command
}

/** Commands that do something: of those with others below, the ones with options of their own. */
const leaves = (command: Command, above: readonly string[] = []): Leaf[] => {
  const words = [...above, command.name()]
  const acts = command.commands.length === 0 || (above.length > 0 && command.options.length > 0)
  const below = command.commands.flatMap((child) => leaves(child, words))
  return acts ? [{ words: words.join(' '), command }, ...below] : below
}

const helpOf = (command: Command): string => {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  return help
}

test('every command is there', () => {
  expect(leaves(program()).map(({ words }) => words.replace('service ', ''))).toEqual(
    [
      'init, dev, serve, login, worker, worker bundle',
      'flows list, flows get, flows logs, flows validate, flows save, flows publish, flows discard, flows rename',
      'flows duplicate, flows delete, flows log, flows diff, flows restore',
      'flows start, flows stop, flows pause, flows resume, flows step, flows run',
      'flows trigger, flows cancel, flows acknowledge, validate, messages list, messages publish, messages watch',
      'messages history, events, dead-letter list, dead-letter replay, dead-letter dismiss, audit, run, sweep, plan',
      'runs list, runs best, runs show, runs logs, runs compare, runs export, runs report, runs cancel, runs retry, runs edit',
      'runs delete, runs import, artifacts list, artifacts get, artifacts put',
      'dashboards list, dashboards show, dashboards from-flow, dashboards export, dashboards import, dashboards publish',
      'dashboards delete',
      'secrets list, secrets set, secrets delete, alerts show, alerts set, alerts test, alerts on, alerts off',
      'devices list, devices show, devices pair, devices pending',
      'devices approve, devices add, devices rename, devices unpair, devices delete, devices types',
      'device simulate, commands try, connectors new, connectors types',
      'connectors state list, connectors state forget, connectors state clear',
      'modules list, modules apply',
      'workers list, workers show, workers pythons, workers tokens, workers token create, workers token revoke',
      'workers flavors list, workers flavors set, workers flavors delete',
      'provisioners list, provisioners test, provisioners reload',
      'users list, users add, users passwd',
      'users deactivate, users activate, users promote, users demote, users delete',
      'keys list, keys create, keys revoke, signing-keys forget, engines list, move, backup, restore',
      'oauth token, oauth tokens, oauth revoke, oauth client list, oauth client add, oauth client remove',
      'completion',
    ].flatMap((line) => line.split(', ')),
  )
})

test.each(leaves(program()))(
  'the help of "$words" describes what it takes and shows an example of it',
  ({ words, command }) => {
    const help = helpOf(command)
    expect(help).toContain(`Usage: ${words}`)
    expect(command.description()).not.toBe('')
    for (const argument of command.registeredArguments) expect(argument.description).not.toBe('')
    const examples = help
      .slice(help.search(/^Examples?:$/m))
      .split('\n')
      .slice(1)
      .filter((line) => line !== '')
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(example).toMatch(new RegExp(`^  ${words}\\b`))
      // a field to sort by, such as -metrics.acc, is no flag
      for (const [flag = ''] of example.matchAll(/(?<= )(?:--[a-z][\w-]*|-[a-z](?= |$))/g))
        expect(command.options.some(({ short, long }) => flag === short || flag === long)).toBe(true)
    }
  },
)

test('"service worker" is the program service-worker: it takes the same options [R583]', () => {
  const worker = leaves(program()).find(({ words }) => words === 'service worker')?.command
  const flags = worker?.options.map(({ long }) => long?.slice(2)).join(' ')
  expect(flags).toBe('url token name labels python parallel artifact-url cpus gpus ram-mb max-idle single insecure')
  expect(helpOf(worker as Command)).toContain('SERVICE_WORKER_TOKEN')
})

test('commands that talk to an engine take its address and print JSON', () => {
  const local = new Set([
    'service init',
    'service dev',
    'service serve',
    'service login',
    'service worker',
    'service worker bundle',
    'service signing-keys forget',
    'service move',
    'service restore',
    'service connectors new',
    'service device simulate',
    'service completion',
  ])
  for (const { words, command } of leaves(program())) {
    if (local.has(words)) continue
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--url', '--token', '--json']))
  }
})
