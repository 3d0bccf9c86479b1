/**
 * Agents that act for users: their tokens, and the programs that may ask for some (wire decisions G10, U6).
 * @module
 */
import * as z from 'zod'

import { scopeSchema } from './scope.ts'
import { timestampSchema } from './time.ts'

const clientNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'a name has no control characters')

/** A token to be: for whom, what it may do, and for how long. */
export const agentTokenRequestSchema = z
  .strictObject({
    client: clientNameSchema.meta({ description: 'Name of the agent, which the audit trail shows.' }),
    scopes: z
      .array(scopeSchema)
      .min(1)
      .transform((given) => [...new Set(given)])
      .meta({ description: 'What it may do, of all that you may.' }),
    expires_in_days: z.int().min(1).max(365).default(30).meta({ description: 'Days for which the token counts.' }),
  })
  .meta({ id: 'AgentTokenCreate' })
/** What makes a token of an agent. */
export type AgentTokenRequest = z.output<typeof agentTokenRequestSchema>

/** An agent that a user has let in, without its tokens. */
export const agentTokenSchema = z
  .object({
    id: z.uuid().meta({ description: 'By which it is revoked.' }),
    client: z.string().meta({ description: 'Name of the agent.' }),
    origin: z.enum(['minted', 'consent']).meta({
      description:
        'A token that was made here; or the consent of its owner in a browser, with all tokens that came of it.',
    }),
    scopes: z.array(scopeSchema).meta({ description: 'What the agent may do, of all that its owner may.' }),
    owner: z
      .object({
        id: z.uuid().meta({ description: 'Of the user.' }),
        email: z.string().meta({ description: 'Address of the user.' }),
      })
      .meta({ description: 'The user for whom the agent acts.' }),
    created_at: timestampSchema,
    expires_at: timestampSchema,
    last_used_at: timestampSchema.nullable().meta({ description: 'To the minute.' }),
    revoked_at: timestampSchema
      .nullable()
      .meta({ description: 'When it was ended; null while it counts or has expired.' }),
  })
  .meta({ id: 'AgentToken' })
/** An agent that a user has let in, without its tokens. */
export type AgentToken = z.infer<typeof agentTokenSchema>

/** The one answer that has the token. */
export const mintedAgentTokenSchema = agentTokenSchema
  .extend({ token: z.string().meta({ description: 'Shown this once: give it to the agent as SERVICE_TOKEN.' }) })
  .meta({ id: 'AgentTokenMinted' })
/** A token of an agent with its text. */
export type MintedAgentToken = z.infer<typeof mintedAgentTokenSchema>

/** A program that may ask users to let it in. */
export const oauthClientRequestSchema = z
  .strictObject({
    name: clientNameSchema.meta({ description: 'What users are shown.' }),
    redirect_uris: z.array(z.string().min(1).max(2000)).min(1).max(20).meta({
      description:
        'Where a user is sent back to: https, http on this machine (any port will do), or a scheme of its own.',
    }),
  })
  .meta({ id: 'OAuthClientCreate' })
/** What makes a program known. */
export type OAuthClientRequest = z.output<typeof oauthClientRequestSchema>

/** A program that may ask users to let it in. */
export const oauthClientSchema = z
  .object({
    id: z.string().meta({ description: 'Its `client_id`; it has no secret.' }),
    name: z.string().meta({ description: 'What users are shown.' }),
    redirect_uris: z.array(z.string()).meta({ description: 'Where a user may be sent back to.' }),
    registered: z.boolean().meta({ description: 'It has made itself known, where that is allowed.' }),
    created_at: timestampSchema,
  })
  .meta({ id: 'OAuthClient' })
/** A program that may ask users to let it in. */
export type OAuthClient = z.infer<typeof oauthClientSchema>
