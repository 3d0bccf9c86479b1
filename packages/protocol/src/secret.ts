/**
 * Secrets as the API shows them: never with a value (wire decision G48).
 * @module
 */
import * as z from 'zod'

import { MAX_SECRET_BYTES } from './limits.ts'
import { libraryUseSchema } from './node-source.ts'
import { timestampSchema } from './time.ts'

/** Name of a secret: letters, digits, `_`, `-` and `.`; 1 to 100 characters, beginning with a letter or digit. */
export const secretNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/,
    'use 1 to 100 letters, digits, "_", "-" or ".", beginning with a letter or digit',
  )

/** A reference to a stored secret, in place of its value. */
export const secretRefSchema = z
  .strictObject(
    { $secret: secretNameSchema.meta({ description: 'Name of the secret.' }) },
    { error: ({ code }) => (code === 'invalid_type' ? 'a reference such as {"$secret": "name"}' : undefined) },
  )
  .meta({ id: 'SecretRef' })
/** A reference to a stored secret. */
export type SecretRef = z.infer<typeof secretRefSchema>

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** A new value of a secret. */
export const secretValueSchema = z
  .strictObject({
    value: z
      .string()
      .max(MAX_SECRET_BYTES, `use at most ${MAX_SECRET_BYTES} bytes of UTF-8`)
      .refine((value) => bytesOf(value) <= MAX_SECRET_BYTES, `use at most ${MAX_SECRET_BYTES} bytes of UTF-8`)
      .meta({ description: 'Text of at most 64 KiB. Values of fewer than 8 characters are not masked in logs.' }),
  })
  .meta({ id: 'SecretValue' })

/** A secret with what refers to it. */
export const secretUsageSchema = z
  .object({
    name: z.string().meta({ description: 'By which settings refer to it.' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    used_by: z.array(libraryUseSchema.meta({ id: 'SecretUse' })).meta({ description: 'Nodes that refer to it.' }),
    others: z.array(z.string()).meta({ description: 'What refers to it beside nodes, such as a channel of alerts.' }),
  })
  .meta({ id: 'SecretUsage' })
export type SecretUsage = z.infer<typeof secretUsageSchema>
