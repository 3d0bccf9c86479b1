/**
 * Bodies of the operations that change a flow as a whole (G19, G21).
 * @module
 */
import * as z from 'zod'

import { flowNameSchema } from './names.ts'

/** Body of `publish`: the version that was read, and whether nodes that are equal are made anew too. */
export const publishRequestSchema = z
  .strictObject({
    version: z.int().min(0).meta({ description: 'The version that was read.' }),
    restart: z
      .boolean()
      .default(false)
      .meta({ description: 'Make every node anew, not only those that have changed.' }),
  })
  .meta({ id: 'PublishRequest' })
/** What is published, in normal form. */
export type PublishRequest = z.infer<typeof publishRequestSchema>

/** Body of `rename`. */
export const renameRequestSchema = z
  .strictObject({ name: flowNameSchema.meta({ description: 'The new name, which no other flow has.' }) })
  .meta({ id: 'RenameRequest' })

/** Body of `duplicate`. */
export const duplicateRequestSchema = z
  .strictObject({ name: flowNameSchema.optional().meta({ description: 'Defaults to `{name}_copy`.' }) })
  .meta({ id: 'DuplicateRequest' })
