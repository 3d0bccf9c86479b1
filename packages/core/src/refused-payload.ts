/**
 * Payloads that flows do not take: webhooks, devices and publications from outside hand over what is of another dtype, or
 * cannot be read. Their sender is answered; the host hears of them, so that it can show them to who writes the flow.
 * @module
 */
import { DtypeViolation, HookRefusal } from '@flow-service/connector-sdk'

import type { Host } from './host.ts'

/** Where a payload arrived; `node` is null for a publication under the name of a message. */
interface Place {
  readonly flow: string
  readonly node: string | null
}

/** Tells the host of a refusal and throws it again. Other errors are the caller's. */
export function passRefusal(error: unknown, host: Pick<Host, 'payloadRefused'>, { flow, node }: Place): void {
  if (!(error instanceof HookRefusal || error instanceof DtypeViolation)) return
  host.payloadRefused?.({ flow, node, message: error.message })
  throw error
}

/** Calls `take`, and tells the host when that throws a refusal. */
export function takeOrRefuse<T>(take: () => T, host: Pick<Host, 'payloadRefused'>, place: Place): T {
  try {
    return take()
  } catch (error) {
    passRefusal(error, host, place)
    throw error
  }
}
