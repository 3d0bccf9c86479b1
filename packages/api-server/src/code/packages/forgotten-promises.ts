/**
 * Whose promises fail while nobody waits for them: what a node of a package does is told apart from everything else, so that
 * such a promise marks the node that has left it alone, and no other one (U13).
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

import type { AnyNodeDefinition, NodeContext, NodeInstance } from '@flow-service/connector-sdk'
import { type PackageOrigin, textOf } from '@flow-service/core'

/** A node of a package that does something. */
interface Acting {
  readonly origin: PackageOrigin
  readonly ctx: Pick<NodeContext, 'flow' | 'node' | 'after'>
}

/** The node whose code runs, in its later turns too. */
const acting = new AsyncLocalStorage<Acting>()

const handlers = ['onValue', 'onInput', 'onTrigger', 'onTimer', 'stop'] as const

/** The definition, with all that its nodes do on their own account. */
export const onAccount = (definition: AnyNodeDefinition, origin: PackageOrigin): AnyNodeDefinition => ({
  ...definition,
  async start(ctx) {
    const account = { origin, ctx }
    const instance = await acting.run(account, () => definition.start(ctx))
    const known = handlers.flatMap((name) => {
      const handler = instance[name]?.bind(instance) as ((...args: unknown[]) => unknown) | undefined
      return handler === undefined
        ? []
        : [[name, (...args: unknown[]) => acting.run(account, handler, ...args)] as const]
    })
    return Object.fromEntries(known) as NodeInstance
  },
})

/** A node of a package that has left a promise alone. */
export interface Forgetful extends PackageOrigin {
  readonly flow: string
  readonly node: string
}

/**
 * Marks the node as failed that has left the promise alone which was rejected just now, and names it; null where that was no
 * node of a package. To be asked in the turn in which the process tells of the promise.
 */
export function blame(reason: unknown): Forgetful | null {
  const account = acting.getStore()
  if (account === undefined) return null
  const { origin, ctx } = account
  const failure = new ForgottenPromise(origin, reason)
  // what a callback of the node throws is its failure
  ctx.after(0, () => {
    throw failure
  })
  return { ...origin, flow: ctx.flow, node: ctx.node }
}

class ForgottenPromise extends Error {
  override readonly name = 'ForgottenPromise'

  constructor({ package: name, version }: PackageOrigin, reason: unknown) {
    super(`a promise that the package ${name} ${version} waits for nowhere has failed: ${textOf(reason)}`, {
      cause: reason,
    })
    if (reason instanceof Error && typeof reason.stack === 'string')
      this.stack = `${this.name}: ${this.message}\n${framesOf(reason.stack)}`
  }
}

/** The lines of a stack that are places. */
const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
