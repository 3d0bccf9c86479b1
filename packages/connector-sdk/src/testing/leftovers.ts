/**
 * Timers, sockets and processes of Node.js that the code of a node begins, in place of those of `ctx`, and does not end.
 * @module
 */
import { createHook } from 'node:async_hooks'

import { settled } from './fake-clock.ts'
import { currentContext } from './inside.ts'

const kinds: ReadonlyMap<string, string> = new Map([
  ['Timeout', 'timer'],
  ['TCPWRAP', 'socket'],
  ['TLSWRAP', 'TLS socket'],
  ['TCPSERVERWRAP', 'server'],
  ['UDPWRAP', 'UDP socket'],
  ['PIPEWRAP', 'pipe'],
  ['PIPESERVERWRAP', 'server on a pipe'],
  ['PROCESSWRAP', 'process'],
  ['FSEVENTWRAP', 'watch of a file'],
  ['STATWATCHER', 'watch of a file'],
  ['WORKER', 'worker thread'],
])
const detours: ReadonlySet<string> = new Set(['TCPCONNECTWRAP', 'GETADDRINFOREQWRAP'])

/** How long what was ended may take to go; a socket closes in a turn of the event loop, a process takes longer. */
const PATIENCE_MS = 2000

interface Begun {
  readonly type: string
  readonly resource: object
  readonly context: object
}

/** From `watch` on until `close`. */
export class Leftovers {
  readonly #begun = new Map<number, Begun>()
  readonly #detours = new Map<object, number>()
  readonly #hook = createHook({
    init: (id, type, _trigger, resource: object) => {
      const context = currentContext()
      if (context === undefined) return
      if (kinds.has(type)) this.#begun.set(id, { type, resource, context })
      if (detours.has(type)) this.#detours.set(context, this.detoursOf(context) + 1)
    },
    destroy: (id) => void this.#begun.delete(id),
  })

  static watch(): Leftovers {
    const leftovers = new Leftovers()
    leftovers.#hook.enable()
    return leftovers
  }

  close(): void {
    this.#hook.disable()
  }

  /** How often the node of a context has gone out past it. */
  detoursOf(context: object): number {
    return this.#detours.get(context) ?? 0
  }

  /** What the node of a context has left, in words: once it is gone, or does not go. */
  async of(context: object): Promise<string[]> {
    const untilMs = performance.now() + PATIENCE_MS
    let left = this.#left(context)
    while (left.length > 0 && performance.now() < untilMs) {
      await settled()
      left = this.#left(context)
    }
    return left
  }

  #left(context: object): string[] {
    return [...this.#begun.values()]
      .filter((begun) => begun.context === context && holds(begun))
      .map(({ type }) => kinds.get(type) ?? type)
  }
}

/** Timers such as those of `AbortSignal.timeout` keep nothing alive, and go by themselves. */
function holds({ type, resource }: Begun): boolean {
  if (type !== 'Timeout') return true
  const { hasRef, _repeat: repeat } = resource as { hasRef?: () => boolean; _repeat?: number | null }
  return repeat !== null || hasRef?.call(resource) !== false
}
