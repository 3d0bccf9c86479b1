/**
 * The text frame of a publication. What JSON would turn into something else is refused here, before it waits for the engine.
 * @module
 */
import type { DevicePublish } from '@flow-service/protocol'

import { DeviceError } from './device-error.ts'

/** Longest text that the engine takes, in bytes. */
const MAX_TEXT_BYTES = 256 * 1024

/** The frame; throws a DeviceError for a value that is no JSON or too large. */
export function publicationText({ port, value, id }: { port: string; value: unknown; id: string }): string {
  const frame = { type: 'publish', port, value, id } as DevicePublish
  const text = jsonOf(frame, port)
  const bytes = new TextEncoder().encode(text).length
  if (bytes > MAX_TEXT_BYTES) {
    const detail = `the value of port "${port}" has ${bytes} bytes with its frame, at most ${MAX_TEXT_BYTES} are taken`
    throw new DeviceError('payload_too_large', detail)
  }
  return text
}

function jsonOf(frame: DevicePublish, port: string): string {
  const refuse = (what: string): never => {
    throw new DeviceError('validation_failed', `the value of port "${port}" is ${what}; give it JSON`)
  }
  if (frame.value === undefined) refuse('undefined')
  try {
    return JSON.stringify(frame, (_key, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? refuse(String(value)) : value,
    )
  } catch (error) {
    if (error instanceof DeviceError) throw error
    return refuse(error instanceof Error ? `no JSON: ${error.message}` : 'no JSON')
  }
}
