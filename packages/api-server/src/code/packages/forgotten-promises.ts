/**
 * Whose promises fail while nobody waits for them: what a node of a package does is told apart from everything else, so that
 * such a promise marks the node that has left it alone, and no other one (U13).
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

import type { AnyNodeDefinition, NodeContext, NodeInstance } from '@flow-service/connector-sdk'
import { type PackageOrigin, textOf } from '@flow-service/core'

/** A package that does something; without a context, by itself while it is loaded. */
interface Acting {
  readonly origin: PackageOrigin
  readonly ctx: Pick<NodeContext, 'flow' | 'node' | 'after'> | null
}

/** The package whose code runs, in its later turns too. */
const acting = new AsyncLocalStorage<Acting>()

const handlers = ['onValue', 'onInput', 'onTrigger', 'onTimer', 'stop'] as const

/** Loads a module of a package on the account of the package. */
export const onAccountOf = <T>(origin: PackageOrigin, load: () => T): T => acting.run({ origin, ctx: null }, load)

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

/** A package that has left a promise alone, and its node where one has. */
interface Forgetful extends PackageOrigin {
  readonly flow?: string
  readonly node?: string
}

/**
 * Names who has left the promise alone which was rejected just now, and marks it as failed when it is a node; null where that
 * was no package. To be asked in the turn in which the process tells of the promise.
 */
export function blame(reason: unknown): Forgetful | null {
  const account = acting.getStore()
  if (account === undefined) return null
  const { origin, ctx } = account
  if (ctx === null) return origin
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
