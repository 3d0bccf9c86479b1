/**
 * What clients say on the event socket (wire decision G46): they ask for media, and nothing else.
 * @module
 */
import type { RawData } from 'ws'
import * as z from 'zod'

/** Why a frame is not understood. */
export interface Refusal {
  readonly kind: 'refused'
  readonly code: string
  readonly detail: string
}

/** A frame of a client. */
export type ClientFrame = { readonly kind: 'media'; readonly names: ReadonlySet<string> } | Refusal

/** Messages whose media one socket may ask for. */
export const MAX_MEDIA_NAMES = 8

const frameSchema = z.looseObject({ type: z.string() })
const mediaSchema = z.object({ names: z.array(z.string()) })

/** Reads a frame; never throws. `isMessage` knows the declared messages by their qualified names. */
export function readClientFrame(data: RawData, isBinary: boolean, isMessage: (name: string) => boolean): ClientFrame {
  const frame = frameSchema.safeParse(isBinary ? null : jsonOf(data))
  if (!frame.success) return refused('malformed_frame', 'send text frames that hold a JSON object with a "type"')
  const { type } = frame.data
  if (type !== 'media') return refused('unknown_frame', `frames of type "${type.slice(0, 100)}" are not known here`)
  const media = mediaSchema.safeParse(frame.data)
  if (!media.success) return refused('malformed_frame', 'the "names" of a media request are a list of strings')
  const { names } = media.data
  if (names.length > MAX_MEDIA_NAMES) {
    return refused('too_many_names', `a media request takes at most ${MAX_MEDIA_NAMES} names, not ${names.length}`)
  }
  const unknown = names.find((name) => !isMessage(name))
  if (unknown === undefined) return { kind: 'media', names: new Set(names) }
  return refused(
    'message_not_declared',
    `no published flow declares the message "${unknown.slice(0, 200)}": use "flow.message"`,
  )
}

const refused = (code: string, detail: string): Refusal => ({ kind: 'refused', code, detail })

function jsonOf(data: RawData): unknown {
  try {
    return JSON.parse((data as Buffer).toString('utf8'))
  } catch {
    return null
  }
}
