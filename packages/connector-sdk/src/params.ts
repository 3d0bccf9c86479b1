/**
 * The settings of a connector: what all have, and credentials among them.
 * @module
 */
import * as z from 'zod'

/** The settings that every connector has; its own are `ConnectorParams.extend({ … })`. */
export const ConnectorParams = z.object({
  poll_interval: z.number().min(0).default(0).describe('Seconds between two readings; 0 turns polling off.'),
})

/** A reference to a stored secret. */
export interface SecretRef {
  readonly $secret: string
}

/**
 * A credential: flows refer to a stored secret with `{"$secret": "name"}`, and the connector gets its value. A text is taken
 * too, and is seen by every reader of the flow. `.optional()` and `.describe()` go on it as on any schema.
 * @example static Params = ConnectorParams.extend({ token: secret().describe('Token of the meter.') })
 */
export const secret = (): z.ZodType<string, string | SecretRef> =>
  z
    .union([z.string().min(1), z.strictObject({ $secret: z.string().min(1).max(100) })])
    // the engine has put the value in before a node is made
    .meta({ 'x-secret': true }) as unknown as z.ZodType<string, string | SecretRef>
