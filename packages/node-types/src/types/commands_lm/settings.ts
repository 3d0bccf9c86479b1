/**
 * Settings of `commands_lm` (wire decision G76).
 * @module
 */
import * as z from 'zod'

/** Settings of a `commands_lm` node as documents hold them. */
export const commandSettings = z.strictObject({
  apply: z.boolean().default(false).describe('Writes to the wired devices; otherwise commands are only reported.'),
  min_confidence: z
    .number()
    .min(0)
    .max(1)
    .default(0.93)
    .describe('Writes nothing that is less probable to be what was said, 0 to 1.'),
})

/** Settings of a `commands_lm` node in normal form. */
export type CommandSettings = z.infer<typeof commandSettings>
