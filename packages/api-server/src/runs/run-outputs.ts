/**
 * The results of a run that has ended well, published in the catalogue of messages.
 * @module
 */
import { type Host, openValue, StoredValue } from '@flow-service/core'
import { type FlowDocument, MAX_WORKER_FRAME_BYTES, qualify } from '@flow-service/protocol'

import type { Log } from '../process/log.ts'

/** What publishing needs, and whose results they are. */
export interface RunOutputsDeps {
  readonly run: string
  /** Name of the flow now. */
  readonly flow: string
  readonly publishMessage: (message: string, value: unknown, run: string) => void
  readonly host: Pick<Host, 'artifacts'>
  readonly log: Pick<Log, 'error'>
}

/** The declared outputs that have a value, by the bare message that carries them. */
export function outputsOf(document: FlowDocument, result: Record<string, unknown>): ReadonlyMap<string, unknown> {
  const given = document.outputs.filter(({ port }) => (result[port] ?? null) !== null)
  return new Map(given.map(({ name, port }) => [name, result[port]]))
}

/** Publishes values in this turn; those that are stored after it, one after the other. Never rejects. */
export async function publishOutputs(outputs: ReadonlyMap<string, unknown>, deps: RunOutputsDeps): Promise<void> {
  const stored: [message: string, value: StoredValue][] = []
  for (const [name, value] of outputs) {
    const message = qualify(deps.flow, name)
    if (value instanceof StoredValue) stored.push([message, value])
    else publish(message, value, deps)
  }
  for (const [message, value] of stored) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one of them in memory at a time
      publish(message, await messageOf(value, deps), deps)
    } catch (error) {
      failed(message, error, deps)
    }
  }
}

/** A value as live flows get it; one that no worker could get in a frame stays a reference. */
const messageOf = async (value: StoredValue, { host }: RunOutputsDeps): Promise<unknown> =>
  value.ref.size > MAX_WORKER_FRAME_BYTES ? value.ref : await openValue(value, (digest) => host.artifacts.load(digest))

function publish(message: string, value: unknown, deps: RunOutputsDeps): void {
  try {
    deps.publishMessage(message, value, deps.run)
  } catch (error) {
    failed(message, error, deps)
  }
}

const failed = (message: string, error: unknown, { run, log }: RunOutputsDeps): void =>
  log.error({ err: error, run, message }, 'an output of a run could not be published')
