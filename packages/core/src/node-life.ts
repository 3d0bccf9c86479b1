/**
 * The life of a node instance: what was begun is ended, also after a failed start.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, Values } from '@flow-service/connector-sdk'
import type { FlowNode } from '@flow-service/protocol'
import * as Effect from 'effect/Effect'
import type * as Scope from 'effect/Scope'

import type { EngineContext } from './engine-context.ts'
import { failureOf, textOf } from './failure.ts'
import type { Host } from './host.ts'
import type { NodeRegistry } from './registry.ts'
import { withSecrets } from './secrets.ts'
import { settingFault } from './setting-fault.ts'

/** How long a node may take to start, and to stop. */
const BOUND_MS = 10_000

/** A flow that could not be started; what had been started is stopped again. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** Null when the fault is not one node's. */
  readonly node: string | null
  constructor(node: string | null, message: string, options?: ErrorOptions) {
    super(message, options)
    this.node = node
  }
}

/** The life of one node: it starts within 10 s, and stops within 10 s again, also when it has not started. */
export class NodeLife {
  readonly #definition: AnyNodeDefinition
  readonly #context: EngineContext
  #instance: NodeInstance | null = null

  constructor(definition: AnyNodeDefinition, context: EngineContext) {
    this.#definition = definition
    this.#context = context
  }

  start(): Effect.Effect<NodeInstance, StartError> {
    const context = this.#context
    const { node } = context
    return Effect.tryPromise({
      try: () => this.#begin(),
      catch: (cause) => new StartError(node, context.mask(failureOf(cause).message), { cause }),
    }).pipe(
      Effect.timeoutOrElse({
        duration: BOUND_MS,
        orElse: () =>
          Effect.fail(new StartError(node, `node "${node}" took longer than ${BOUND_MS / 1000} s to start`)),
      }),
    )
  }

  /** Closes the context, calls `ended`, and stops the instance. */
  stop(ended: () => void = () => {}): Effect.Effect<void> {
    return Effect.tryPromise({ try: () => this.#end(ended), catch: textOf }).pipe(
      // Finalizers are uninterruptible, and a bound has to interrupt.
      Effect.interruptible,
      Effect.timeoutOrElse({
        duration: BOUND_MS,
        orElse: () => Effect.fail(`it took longer than ${BOUND_MS / 1000} s`),
      }),
      Effect.catch((text) => Effect.sync(() => this.#context.log(`the node did not stop cleanly: ${text}`))),
    )
  }

  async #begin(): Promise<NodeInstance> {
    const context = this.#context
    const started = await this.#definition.start(context)
    // A start that was given up may still succeed; then nobody else would stop it.
    if (context.closed) {
      await started.stop?.()
      context.disconnect()
    } else this.#instance = started
    return started
  }

  async #end(ended: () => void): Promise<void> {
    this.#context.close()
    ended()
    try {
      await this.#instance?.stop?.()
    } finally {
      this.#context.disconnect()
    }
  }
}

/** Starts a node; the end of the scope stops it. */
export function startNode(
  definition: AnyNodeDefinition,
  context: EngineContext,
): Effect.Effect<NodeInstance, StartError, Scope.Scope> {
  const life = new NodeLife(definition, context)
  return Effect.acquireRelease(Effect.void, () => life.stop()).pipe(Effect.andThen(life.start()))
}

/** A node's settings with the values of secrets and the defaults of its type. Throws a {@link StartError}: the first fault. */
export function parseSettings(
  { registry, host }: { readonly registry: NodeRegistry; readonly host: Pick<Host, 'secrets'> },
  definition: AnyNodeDefinition,
  node: FlowNode,
): Values {
  const { settings } = node
  const parsed = registry.settingsOf(definition).safeParse(settingsOf(node, host))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const fault = issue === undefined ? 'the settings are not valid' : settingFault({ definition, settings }, issue)
  throw new StartError(node.id, host.secrets.mask(fault))
}

function settingsOf({ id, settings }: FlowNode, { secrets }: Pick<Host, 'secrets'>): Values {
  try {
    return withSecrets(settings, secrets)
  } catch (error) {
    throw new StartError(id, failureOf(error).message, { cause: error })
  }
}
