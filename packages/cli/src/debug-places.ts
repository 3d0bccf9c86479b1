/**
 * Where the debuggers of `service dev --inspect` listen. A process for each node: a place is told when it is new, and again
 * when code waits there.
 * @module
 */
import type { Inspected } from '@flow-service/api-server'

import { printable } from './table.ts'
import { bold, dim, red, yellow } from './terminal.ts'

/** Tells places, each once. */
export class DebugPlaces {
  readonly #isWaiting: boolean
  readonly #print: (line: string) => void
  readonly #told = new Map<string, string>()

  /** `isWaiting`: code waits there until a debugger is attached. */
  constructor(isWaiting: boolean, print: (line: string) => void) {
    this.#isWaiting = isWaiting
    this.#print = print
  }

  tell(inspected: Inspected): void {
    const key = `${inspected.flow}.${inspected.node}`
    const line = placeLine(inspected, this.#isWaiting)
    if (this.#told.get(key) === line && !('port' in inspected && this.#isWaiting)) return
    this.#told.set(key, line)
    this.#print(line)
  }
}

function placeLine(inspected: Inspected, isWaiting: boolean): string {
  const place = bold(`${inspected.flow}.${inspected.node}`)
  if ('problem' in inspected) return `${red('✗')} ${place}  ${red(`is not debugged: ${printable(inspected.problem)}`)}`
  const how = inspected.kind === 'python' ? 'debugpy' : 'the Node inspector, chrome://inspect or an editor'
  const waits = isWaiting ? yellow(' waits for a debugger') : ' takes a debugger'
  return `${yellow('●')} ${place} ${waits} at 127.0.0.1:${inspected.port} ${dim(`(${how})`)}`
}
