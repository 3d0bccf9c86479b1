/** The guide to commands: its script prints what it says, and its sentences do what they are listed for. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { interpret } from '@flow-service/commands-lm'
import {
  commandAreas,
  type CommandDevice,
  commandKinds,
  type CommandKind,
  type CommandRecord,
} from '@flow-service/protocol'
import { testFlow } from '@flow-service/testing'
import { expect, onTestFinished, test } from 'vitest'

import { home } from '../../examples/commands/flows/home.ts'
import { serviceCommand } from '../engine-process.ts'
import { startService } from '../service.ts'

const root = join(import.meta.dirname, '..', '..')
/** What the grammar is sure of moves with each sentence that it learns; the columns move with the numbers. */
const withoutNumbers = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll(/-?\d\.\d+/g, '#').replaceAll(/ {2,}/g, '  '))

test('the script of the guide to commands prints what it says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'commands-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const words = [process.execPath, ...serviceCommand()].map((word) => `'${word}'`)
  writeFileSync(join(folder, 'service'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  await using at = await startService({
    flows: join(root, 'examples', 'commands', 'flows'),
  })
  const script = join(import.meta.dirname, 'commands.sh')
  const env = {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    HOME: folder,
    SERVICE_URL: at.baseUrl,
    SERVICE_TOKEN: at.token,
  }
  const { stdout } = await promisify(execFile)('sh', [script], { cwd: folder, env })
  const said = [...readFileSync(script, 'utf8').matchAll(/^#>(?: (.*))?$/gm)].map(([, line = '']) => line)
  expect(withoutNumbers(stdout.trimEnd().split('\n'))).toEqual(withoutNumbers(said))
})

/** The rows of the tables under a heading of the guide. */
function rowsUnder(heading: string): string[] {
  const guide = readFileSync(join(root, 'docs-site/src/content/docs/guide/commands.mdx'), 'utf8')
  const [, section = ''] = guide.split(`\n## ${heading}\n`)
  return (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '))
}

/** The sentences in quotes of a table, with the row that they stand in. */
const quoted = (heading: string): [sentence: string, row: string][] =>
  rowsUnder(heading).flatMap((row) =>
    [...row.matchAll(/"([^"]+)"/g)].map(([, sentence = '']): [string, string] => [sentence, row]),
  )

const kinds = Object.keys(commandKinds) as CommandKind[]
const devices = commandAreas.flatMap((area) =>
  kinds.map((kind): CommandDevice => ({ area, kind, value: null, wired: true })),
)
const calls = (sentence: string) =>
  interpret(sentence, { presence: 'living_room', outdoor: 12, dark: false, devices }).filter(
    ({ confidence }) => confidence >= 0.93,
  )

test.each(quoted('What can be said'))('"%s" is understood', (sentence, row) => {
  const found = calls(sentence)
  expect(found).not.toEqual([])
  for (const { kind } of found) expect(row).toMatch(new RegExp(`^\\| ${kind} `))
})

test.each(quoted('What is refused, and why'))('"%s" writes nothing', (sentence) => {
  expect(calls(sentence)).toEqual([])
})

test.each(rowsUnder('Delays').slice(2))('what waits makes way, or not, as the guide says: %s', async (row) => {
  const [, waiting = '', said = '', outcome = ''] = row.split('|').map((cell) => cell.trim().replaceAll('"', ''))
  const flow = await testFlow(home)
  await flow.publish(home.messages.room, 'kitchen')
  for (const sentence of [waiting, said]) await flow.publish(home.messages.said, sentence)
  const [first, last] = flow.sent(home.messages.actions) as CommandRecord[][]
  expect(first).toMatchObject([{ call: 'lights_off', applied: true, delay_s: 1800 }])
  expect(last?.some(({ superseded }) => superseded)).toBe(outcome.includes('makes way'))
  await flow.stop()
})
