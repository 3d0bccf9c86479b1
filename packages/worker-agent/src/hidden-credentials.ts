/**
 * Takes credentials out of what the system shows of the own process. On Linux every process of the same user can read
 * `/proc/<pid>/environ`, which is the memory that the process was started with: without this, node code finds there what
 * its own environment was spared.
 * @module
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

import { withoutCredentials } from './environment.ts'

interface Entry {
  readonly name: string
  /** Within the memory of the environment. */
  readonly at: number
  readonly bytes: Buffer
}

/**
 * Erases the variables with credential-like names from the memory that `/proc` shows, and keeps them in `process.env`;
 * tells whether none is to be seen any more. Does nothing on systems without `/proc`.
 */
export function hideCredentials(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const entries = entriesOf(readFileSync('/proc/self/environ')).filter(isCredential)
    if (entries.length > 0) erase(entries, environmentStart())
    return !entriesOf(readFileSync('/proc/self/environ')).some(isCredential)
  } catch {
    // the system may forbid it; then all is as it was
    return false
  }
}

function erase(entries: readonly Entry[], start: number): void {
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    for (const { name, at, bytes } of entries) {
      const value = process.env[name]
      // a value that is no text could not be given back
      if (value !== undefined && `${name}=${value}` !== bytes.toString()) continue
      delete process.env[name]
      writeSync(memory, Buffer.alloc(bytes.length), 0, bytes.length, start + at)
      if (value !== undefined) process.env[name] = value
    }
  } finally {
    closeSync(memory)
  }
}

function entriesOf(environ: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < environ.length;) {
    const end = environ.indexOf(0, at)
    const bytes = environ.subarray(at, end === -1 ? environ.length : end)
    const name = bytes.toString().split('=', 1)[0] ?? ''
    if (bytes.length > 0) entries.push({ name, at, bytes })
    at += bytes.length + 1
  }
  return entries
}

const isCredential = ({ name }: Entry): boolean => Object.keys(withoutCredentials({ [name]: '' })).length === 0

/** Where the environment lies: the 50th field of `/proc/self/stat`; the second one may hold spaces. */
function environmentStart(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47])
  if (!Number.isSafeInteger(start) || start <= 0) throw new Error('the system does not tell where the environment lies')
  return start
}
