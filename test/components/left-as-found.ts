/**
 * Runs in front of every file of tests that share a process: what one of them leaves behind is what the next one finds. A
 * file that leaves something fails itself, by name, instead of one that comes after it.
 */
import { afterAll, beforeAll } from 'vitest'

const events = ['SIGHUP', 'SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'] as const
const globals = ['Date', 'fetch', 'setTimeout', 'setInterval', 'setImmediate'] as const

/** What belongs to all code of a process. */
const surroundings = (): Map<string, unknown> =>
  new Map<string, unknown>([
    ['the working directory', process.cwd()],
    ...Object.entries(process.env).map(([name, value]) => [`the variable ${name}`, value] as const),
    ...events.map((name) => [`listeners to ${name}`, process.listenerCount(name)] as const),
    ...globals.map((name) => [name, globalThis[name]] as const),
  ])

let before: Map<string, unknown>
beforeAll(() => {
  before = surroundings()
})

afterAll(() => {
  const after = surroundings()
  const names = new Set([...before.keys(), ...after.keys()])
  const changed = [...names].filter((name) => before.get(name) !== after.get(name))
  if (changed.length > 0) throw new Error(`this file has changed what others find: ${changed.join(', ')}`)
})
