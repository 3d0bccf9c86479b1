/**
 * The mounted webhooks: which handler a path below `/hooks` belongs to (wire decisions G06, G68).
 * @module
 */
import type { HookRequest, HookRoute } from '@flow-service/connector-sdk'
import type { Clock, Lease, Mount } from '@flow-service/core'

import { ProblemError } from '../http/errors.ts'
import { RouteTable } from './route-table.ts'

/** Takes an accepted request; throws `HookRefusal` or `DtypeViolation` to refuse what it carries. */
export type HookHandler = (request: HookRequest) => void | Promise<void>

/** A request to a webhook, from whichever engine it comes. */
export interface AnyHookRequest extends Omit<HookRequest, 'method'> {
  readonly method: string
  /** The raw path below `/hooks`. */
  readonly path: string
  readonly isPortal: boolean
}

/** The way of requests to the engine that runs their flow, where engines share a database. */
export interface HooksElsewhere {
  /** Whether a request to that path has to be handed over, or to wait for its flow. */
  isAway(path: string): boolean
  /** False when the flow turns out to run here, or nowhere. Refuses as the handler does. */
  deliver(request: AnyHookRequest): Promise<boolean>
}

/** A mounted webhook. */
export interface Hook {
  readonly methods: readonly ('GET' | 'POST')[]
  readonly handler: HookHandler
}

/** The webhooks of the active flows. */
export interface Hooks {
  /**
   * Mounts a webhook at `{flow}/{path}/{secret}`, held. Throws an error when the flow has one at that path already that
   * is not held, or when no URL can name the path.
   */
  register(flow: string, route: HookRoute, handler: HookHandler): Mount
  /** The webhook behind the raw path below `/hooks`; through the portal only one with a secret. */
  find(rawPath: string, isPortal?: boolean): Hook | undefined
  /** As `find`, but waits for one that is held. */
  found(rawPath: string, isPortal?: boolean): Promise<Hook | undefined>
}

/** A table of webhooks without any. */
export function createHooks(): Hooks {
  const table = new RouteTable<Hook>('webhook')
  return {
    register: (flow, route, handler) => table.mount(flow, route, { methods: route.methods, handler }).mount,
    find: (rawPath, isPortal) => table.find(rawPath, isPortal),
    found: (rawPath, isPortal) => table.found(rawPath, isPortal),
  }
}

/** How long a request waits while the engine has no right to act for the flow. */
const PATIENCE_MS = 5_000

/** A handler that takes nothing while another engine may have its flow; who has waited in vain is refused with `unavailable`. */
export function leased(handler: HookHandler, { clock, lease }: { clock: Clock; lease: Lease }): HookHandler {
  const wait = async (request: HookRequest): Promise<void> => {
    const late = Promise.withResolvers<void>()
    const cancel = clock.setTimer(PATIENCE_MS, () => late.resolve())
    await Promise.race([lease.held(), late.promise])
    cancel()
    if (lease.holds()) return handler(request)
    const detail =
      'the engine that runs the flow cannot reach its database, and another one may take the flow: nothing was taken, try again'
    throw new ProblemError('unavailable', detail, { retry_after_s: 1 })
  }
  return (request) => (lease.holds() ? handler(request) : wait(request))
}

/** Whether a webhook has not taken a request: it is not there, or has refused it, which its stop does too. */
export const isUntaken = (error: unknown): boolean =>
  error instanceof ProblemError && (error.code === 'not_found' || error.code === 'validation_failed')
