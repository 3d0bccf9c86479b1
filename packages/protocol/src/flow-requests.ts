/**
 * Bodies of the operations that change a flow as a whole (G19, G21).
 * @module
 */
import * as z from 'zod'

import { flowNameSchema } from './names.ts'

/** Body of `publish`: the version that was read. */
export const publishRequestSchema = z
  .strictObject({ version: z.int().min(0).meta({ description: 'The version that was read.' }) })
  .meta({ id: 'PublishRequest' })

/** Body of `rename`. */
export const renameRequestSchema = z.strictObject({ name: flowNameSchema }).meta({ id: 'RenameRequest' })

/** Body of `duplicate`. */
export const duplicateRequestSchema = z
  .strictObject({ name: flowNameSchema.optional().meta({ description: 'Defaults to `{name}_copy`.' }) })
  .meta({ id: 'DuplicateRequest' })
