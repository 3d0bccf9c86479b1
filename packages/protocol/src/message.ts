/**
 * The message catalogue (wire decision G28).
 * @module
 */
import * as z from 'zod'

import { dtypeSchema } from './dtype.ts'
import { timestampSchema } from './time.ts'

const place = z
  .object({
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().meta({ description: 'Id of the node.' }),
    port: z.string().meta({ description: 'Name of its port.' }),
  })
  .meta({ id: 'PortPlace' })

/** A declared message with its last value; `ts` is null until there is one: the value is the initial one then, or null. */
export const messageSchema = z
  .object({
    name: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    flow: z.string(),
    message: z.string(),
    dtype: dtypeSchema,
    stream: z.boolean(),
    value: z.json(),
    ts: timestampSchema.nullable(),
    sources: z.array(z.object({ node: z.string(), port: z.string() })),
    readers: z.array(place),
  })
  .meta({ id: 'Message' })
/** A declared message with its last value and who sends and reads it. */
export type Message = z.infer<typeof messageSchema>

/** Body of `POST /messages/{message}`. */
export const publishMessageSchema = z.strictObject({ value: z.json() }).meta({ id: 'PublishMessage' })

/** Answer of a publication; `cascade` is null while nothing reads the message. */
export const publishedMessageSchema = z
  .object({ name: z.string(), value: z.json(), ts: timestampSchema, cascade: z.string().nullable() })
  .meta({ id: 'PublishedMessage' })
/** What a publication has stored, and which cascade it has begun. */
export type PublishedMessage = z.infer<typeof publishedMessageSchema>

/** A value a message had; `truncated` when it was too long to keep. */
export const messageHistoryEntrySchema = z
  .object({
    ts: timestampSchema,
    value: z.json(),
    truncated: z.boolean(),
    source: place.nullable(),
    run: z.string().nullable(),
    cascade: z.string().nullable().meta({
      description: 'Id of the cascade that it came about in; null of old values, and where a crash has lost it.',
    }),
  })
  .meta({ id: 'MessageHistoryEntry' })
/** A value that a message had. */
export type MessageHistoryEntry = z.infer<typeof messageHistoryEntrySchema>
