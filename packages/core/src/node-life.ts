/**
 * The life of a node instance: what was begun is ended, also after a failed start.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, Values } from '@flow-service/connector-sdk'
import type { FlowNode } from '@flow-service/protocol'
import * as Effect from 'effect/Effect'

import type { EngineContext } from './engine-context.ts'
import { failureOf, textOf } from './failure.ts'
import type { Clock, Host } from './host.ts'
import type { NodeRegistry } from './registry.ts'
import { withSecrets } from './secrets.ts'
import { settingFault } from './setting-fault.ts'
import { startTimer } from './timers.ts'

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

/** What holds while a node of a run lives. */
export interface LifeBounds {
  readonly clock: Clock
  /** Ends the start and the work of the node. */
  readonly signal: AbortSignal
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
    return Effect.tryPromise({ try: async () => this.#begin(), catch: (cause) => this.#notStarted(cause) }).pipe(
      Effect.timeoutOrElse({ duration: BOUND_MS, orElse: () => Effect.fail(this.#startsLate()) }),
    )
  }

  /** Closes the context, calls `ended`, and stops the instance. */
  stop(ended: () => void = () => {}): Effect.Effect<void> {
    return Effect.tryPromise({ try: () => this.#end(ended), catch: textOf }).pipe(
      // Finalizers are uninterruptible, and a bound has to interrupt.
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: BOUND_MS, orElse: () => Effect.fail(STOPS_LATE) }),
      Effect.catch((text) => Effect.sync(() => this.#notStopped(text))),
    )
  }

  /**
   * Starts, has `use` work with the instance, and stops: the whole life of a node of a run, without a fiber, for there are
   * thousands in a second. Settles after the stop. Rejects with what failed, a start with a {@link StartError}; after an
   * abort, for which neither the start nor `use` is waited, with its reason.
   */
  async spend({ clock, signal }: LifeBounds, use: (instance: NodeInstance) => Promise<void>): Promise<void> {
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => {})
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      const started = this.#startedOn(clock, aborted.promise)
      const instance = started instanceof Promise ? await started : started
      signal.throwIfAborted()
      await Promise.race([use(instance), aborted.promise])
    } finally {
      signal.removeEventListener('abort', abort)
      await this.#stoppedOn(clock)
    }
    signal.throwIfAborted()
  }

  #startedOn(clock: Clock, aborted: Promise<never>): NodeInstance | Promise<NodeInstance> {
    let started: NodeInstance | Promise<NodeInstance>
    try {
      started = this.#begin()
    } catch (cause) {
      throw this.#notStarted(cause)
    }
    if (!(started instanceof Promise)) return started
    const begun = started.catch((cause: unknown) => {
      throw this.#notStarted(cause)
    })
    return within(clock, Promise.race([begun, aborted]), () => this.#startsLate())
  }

  /** Never rejects. */
  async #stoppedOn(clock: Clock): Promise<void> {
    if (this.#instance?.stop === undefined) {
      this.#context.close()
      this.#context.disconnect()
      return
    }
    try {
      await within(
        clock,
        this.#end(() => {}),
        () => STOPS_LATE,
      )
    } catch (cause) {
      this.#notStopped(cause === STOPS_LATE ? STOPS_LATE : textOf(cause))
    }
  }

  #begin(): NodeInstance | Promise<NodeInstance> {
    const started = this.#definition.start(this.#context)
    if (started instanceof Promise) return this.#arrived(started)
    this.#instance = started
    return started
  }

  async #arrived(starting: Promise<NodeInstance>): Promise<NodeInstance> {
    const context = this.#context
    const started = await starting
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

  #notStarted(cause: unknown): StartError {
    return new StartError(this.#context.node, this.#context.mask(failureOf(cause).message), { cause })
  }

  #startsLate(): StartError {
    const { node } = this.#context
    return new StartError(node, `node "${node}" took longer than ${BOUND_MS / 1000} s to start`)
  }

  #notStopped(text: string): void {
    this.#context.log(`the node did not stop cleanly: ${text}`)
  }
}

const STOPS_LATE = `it took longer than ${BOUND_MS / 1000} s`

/** Settles as `work` does, unless the bound passes before. */
async function within<T>(clock: Clock, work: Promise<T>, late: () => unknown): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cancel = startTimer(clock, BOUND_MS, () => reject(late()))
  try {
    return await Promise.race([work, promise])
  } finally {
    cancel()
  }
}

/** A node's settings with the values of secrets and the defaults of its type. Throws a {@link StartError}: the first fault. */
export function parseSettings(
  { registry, host }: { readonly registry: NodeRegistry; readonly host: Pick<Host, 'secrets'> },
  definition: AnyNodeDefinition,
  node: FlowNode,
): Values {
  const { settings } = node
  const parsed = registry.settingsOf(definition).safeParse(ownOf(settingsOf(node, host)))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const fault = issue === undefined ? 'the settings are not valid' : settingFault({ definition, settings }, issue)
  throw new StartError(node.id, host.secrets.mask(fault))
}

/** Code of nodes may change what it is given, and the document is that of other runs, too (batch.B12). */
const ownOf = (settings: Values): Values =>
  Object.values(settings).some((value) => typeof value === 'object' && value !== null)
    ? structuredClone(settings)
    : settings

function settingsOf({ id, settings }: FlowNode, { secrets }: Pick<Host, 'secrets'>): Values {
  try {
    return withSecrets(settings, secrets)
  } catch (error) {
    throw new StartError(id, failureOf(error).message, { cause: error })
  }
}
