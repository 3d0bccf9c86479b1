/**
 * Parts that several commands share: options, how their values are read, and how a command's module is run.
 * @module
 */
import { type Command, InvalidArgumentError } from 'commander'

import { failed } from '../failure.ts'
import { instant } from '../values.ts'
import { isCalled } from './spelling.ts'

/** Options of the engine's own commands. */
export const engineOptions = (command: Command): Command =>
  command
    .option('--host <address>', 'address to listen on (SERVICE_HOST, 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for any free one (SERVICE_PORT, 8000)', port)
    .option('--data <dir>', 'data directory (SERVICE_DATA_DIR, ./.service)')

/** Options of commands that talk to an engine. */
export const clientOptions = (command: Command): Command =>
  command
    .option('--url <base>', 'API of the engine, ends in /api/v1 (SERVICE_URL; found by the sign-in file)')
    .option('--token <token>', 'access token (SERVICE_TOKEN; found by the sign-in file)')
    .option('--json', 'print JSON for programs')

/** A command of a group that is meant where none is named; a word that is no command is refused as such. */
export function byDefault(group: Command, verb: string): Command {
  group.hook('preSubcommand', () => {
    const [word = verb] = group.args
    if (word.startsWith('-') || group.commands.some((command) => isCalled(command, word))) return
    group.error(`error: unknown command '${word}'`)
  })
  return group.command(verb, { isDefault: true })
}

/** What the command says in its help, by example: each is a command line without `service`. */
export const withExamples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText(
    'after',
    `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.map((line) => `  service ${line}`).join('\n')}`,
  )

/** Runs a command's module; an expected failure becomes one line and an exit code. */
export const lazily =
  <A extends unknown[]>(load: () => Promise<(...args: A) => Promise<void>>) =>
  async (...args: A): Promise<void> => {
    try {
      await (
        await load()
      )(...args)
    } catch (error) {
      process.exitCode = failed(error)
    }
  }

/** A whole number. */
export const integer = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number.')
  return value
}

/** A number that is not below 0. */
export const amount = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Give a number from 0.')
  return value
}

/** A whole number above 0. */
export const positive = (text: string): number => {
  const value = integer(text)
  if (value < 1) throw new InvalidArgumentError('Give a whole number above 0.')
  return value
}

/** Whole numbers: `1,2,3`, or `1..10` with both ends. */
export const integers = (text: string): number[] =>
  text.split(',').flatMap((part) => {
    const [, from, to] = /^(-?\d+)\.\.(-?\d+)$/.exec(part.trim()) ?? []
    if (from === undefined || to === undefined) return [integer(part)]
    const [first, last] = [integer(from), integer(to)]
    if (last < first || last - first >= MAX_NUMBERS) {
      throw new InvalidArgumentError(`Give a range that rises, of at most ${MAX_NUMBERS} numbers.`)
    }
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })

/** Words separated by commas. */
export const words = (text: string): string[] => text.split(',').filter((word) => word !== '')

/** As many as a sweep has runs. */
const MAX_NUMBERS = 10_000

/** A point in time. */
export const time = (text: string): string => {
  const value = instant(text)
  if (value === null) {
    throw new InvalidArgumentError('Give how long ago, such as 10m, 2h or 3d, or a date such as 2027-03-21T08:00:00Z.')
  }
  return value
}

/** The id of a run, as the engine makes them (UUID). */
export const runId = (text: string): string => {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    throw new InvalidArgumentError('Give the id of a run as "service runs list" shows it.')
  }
  return text
}

/** Several of them. */
export const runIds = (text: string, earlier: string[] = []): string[] => [...earlier, runId(text)]

/** An option that may be given several times. */
export const collect = (text: string, earlier: string[] = []): string[] => [...earlier, text]

const port = (text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535; 0 takes any free one.')
  }
  return value
}
