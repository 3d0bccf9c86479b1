/**
 * Frames of the event socket as text. Many sockets get the same event and differ only in `seq`, so an event is
 * serialised once and each socket puts its number between the two halves.
 * @module
 */
import { type EngineEvent, flowPart, timestampOfMs } from '@flow-service/protocol'

import type { Media } from './media.ts'

/** An event on its way to sockets. `head + seq + tail` is the frame. */
export interface EventText {
  readonly event: EngineEvent
  /** Its number in the engine. */
  readonly seq: number
  /** The flows it is about. */
  readonly flows: readonly string[]
  /** ASCII. */
  readonly head: string
  /** UTF-8, shared by all sockets. */
  readonly tail: Buffer
  /** Goes before the frame to those who have asked for it. */
  readonly media: Media | null
}

/** The text of a frame that is sent to one socket only. */
export function frameText(type: string, seq: number, atMs: number, fields: object): Buffer {
  return Buffer.from(`${headOf(type)}${seq}${tailOf(timestampOfMs(atMs), fields)}`)
}

/** Serialises an event for any number of sockets; `ts` is the spelling of its time, for callers that know it. */
export function eventText(
  event: EngineEvent,
  { seq, atMs, ts = timestampOfMs(atMs) }: { readonly seq: number; readonly atMs: number; readonly ts?: string },
  flows: readonly string[] = flowsOf(event),
  media: Media | null = null,
): EventText {
  const { type, ...fields } = event
  return { event, seq, flows, head: headOf(type), tail: Buffer.from(tailOf(ts, fields)), media }
}

/** The run that an event is about; null of live flows, and of what is about no run. */
export function runOf(event: EngineEvent): string | null {
  if (event.type === 'run') return event.run.id
  return event.type === 'node' || event.type === 'value' || event.type === 'log' ? event.run : null
}

/** The flows that an event is about; a value is about the one that declares its message and the one that produced it. */
export function flowsOf(event: EngineEvent): readonly string[] {
  switch (event.type) {
    case 'flow':
      return [event.name]
    case 'run':
      return [event.run.flow]
    case 'value': {
      const owner = flowPart(event.message)
      return owner === event.flow ? [owner] : [owner, event.flow]
    }
    case 'node':
    case 'health':
    case 'log':
      return [event.flow]
    case 'modules':
      return []
  }
}

const headOf = (type: string): string => `{"type":"${type}","seq":`

function tailOf(ts: string, fields: object): string {
  const rest = JSON.stringify(fields).slice(1)
  return `,"ts":"${ts}"${rest === '}' ? '' : ','}${rest}`
}
