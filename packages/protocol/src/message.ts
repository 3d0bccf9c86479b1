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
    flow: z.string().meta({ description: 'Name of the flow that publishes it.' }),
    message: z.string().meta({ description: 'Its name within the flow.' }),
    dtype: dtypeSchema.meta({ description: 'Type of its values.' }),
    stream: z.boolean().meta({ description: 'Whether values come while its node executes.' }),
    value: z.json().meta({ description: 'The last one; before there is one, the initial value or null.' }),
    ts: timestampSchema.nullable().meta({ description: 'When the value came; null until there is one.' }),
    sources: z
      .array(
        z.object({
          node: z.string().meta({ description: 'Id of the node.' }),
          port: z.string().meta({ description: 'Name of its port.' }),
        }),
      )
      .meta({ description: 'What publishes it.' }),
    readers: z.array(place).meta({ description: 'What reads it, in all flows.' }),
  })
  .meta({ id: 'Message' })
/** A declared message with its last value and who sends and reads it. */
export type Message = z.infer<typeof messageSchema>

/** Body of `POST /messages/{message}`. */
export const publishMessageSchema = z
  .strictObject({ value: z.json().meta({ description: 'Of the dtype of the message.' }) })
  .meta({ id: 'PublishMessage' })

/** Answer of a publication; `cascade` is null while nothing reads the message. */
export const publishedMessageSchema = z
  .object({
    name: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    value: z.json().meta({ description: 'As it is stored.' }),
    ts: timestampSchema,
    cascade: z
      .string()
      .nullable()
      .meta({ description: 'What it has set off, by id; null while nothing active reads the message.' }),
  })
  .meta({ id: 'PublishedMessage' })
/** What a publication has stored, and which cascade it has begun. */
export type PublishedMessage = z.infer<typeof publishedMessageSchema>

/** A value a message had; `truncated` when it was too long to keep. */
export const messageHistoryEntrySchema = z
  .object({
    ts: timestampSchema,
    value: z.json().meta({ description: 'Null where it was too long to keep.' }),
    truncated: z.boolean().meta({ description: 'Whether it was too long to keep.' }),
    source: place.nullable().meta({ description: 'The port that published it; null of values from outside.' }),
    run: z.string().nullable().meta({ description: 'Id of the run that published it; null of live flows.' }),
    cascade: z.string().nullable().meta({
      description: 'Id of the cascade that it came about in; null of old values, and where a crash has lost it.',
    }),
  })
  .meta({ id: 'MessageHistoryEntry' })
/** A value that a message had. */
export type MessageHistoryEntry = z.infer<typeof messageHistoryEntrySchema>
