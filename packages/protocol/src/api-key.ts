/**
 * Keys by which programs are signed in as a user (wire decision U5).
 * @module
 */
import * as z from 'zod'

import { nameSchema } from './names.ts'
import { scopeSchema } from './scope.ts'
import { timestampSchema } from './time.ts'
import { scopes } from './words.ts'

/** Days that a key counts for at most. */
const MAX_DAYS = 3650

/** A key as lists show it. */
export const apiKeySchema = z
  .object({
    id: z.uuid().meta({ description: 'By which it is revoked.' }),
    name: z.string().meta({ description: 'No other live key of the owner has it.' }),
    prefix: z.string().meta({ description: 'The beginning of the key, for example `fsk_4Jx0aZ9q`.' }),
    scopes: z.array(scopeSchema).meta({ description: 'What the key is good for, of all that its owner may do.' }),
    owner: z
      .object({
        id: z.uuid().meta({ description: 'Of the user.' }),
        email: z.string().meta({ description: 'Address of the user.' }),
      })
      .meta({ description: 'Whom the key signs in.' }),
    created_at: timestampSchema,
    expires_at: timestampSchema.nullable().meta({ description: 'Null is never.' }),
    last_used_at: timestampSchema.nullable().meta({ description: 'To the minute.' }),
    revoked_at: timestampSchema
      .nullable()
      .meta({ description: 'When it was ended; null while it counts or has expired.' }),
  })
  .meta({ id: 'ApiKey' })
/** A key without its text. */
export type ApiKey = z.infer<typeof apiKeySchema>

/** A new key. */
export const apiKeyRequestSchema = z
  .strictObject({
    name: nameSchema.meta({ description: 'No other live key of the owner has it.' }),
    scopes: z
      .array(scopeSchema)
      .min(1, `name at least one of ${scopes.join(', ')}`)
      .refine((named) => new Set(named).size === named.length, 'name each scope once')
      .meta({ description: 'What the key is good for, of all that its owner may do.' }),
    expires_in_days: z.int().min(1).max(MAX_DAYS).nullable().default(365).meta({ description: 'Null is never.' }),
  })
  .meta({ id: 'ApiKeyRequest' })
/** What a new key is made of. */
export type ApiKeyRequest = z.infer<typeof apiKeyRequestSchema>

/** The one answer that has the key. */
export const mintedApiKeySchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'Shown this once: send it as `Authorization: Bearer …`.' }) })
  .meta({ id: 'ApiKeyMinted' })
/** A new key with its text. */
export type MintedApiKey = z.infer<typeof mintedApiKeySchema>
