/**
 * Flavors: named sizes that `resources.flavor` of a flow refers to (wire decision G56).
 * @module
 */
import * as z from 'zod'

import { nameSchema } from './names.ts'

/** Processors that a call may ask for; parts of one are fine. */
export const cpusSchema = z.number().min(0).max(100_000)
/** GPUs that a call may ask for. */
export const gpusSchema = z.int().min(0).max(100_000)
/** Memory in MB that a call may ask for. */
export const memorySchema = z.int().min(0).max(1e9)

const amounts = {
  cpus: cpusSchema.meta({ description: 'Processors.' }),
  gpus: gpusSchema.meta({ description: 'GPUs.' }),
  ram_mb: memorySchema.meta({ description: 'Memory in MB.' }),
}
const descriptionSchema = z.string().max(1000)

/** A named size of what each running call of a flow takes. */
export const flavorSchema = z
  .object({
    name: z.string().meta({ description: 'By which flows name it.' }),
    ...amounts,
    description: z.string().meta({ description: 'For people.' }),
  })
  .meta({ id: 'Flavor' })
/** A named size of what each running call of a flow takes. */
export type Flavor = z.infer<typeof flavorSchema>

/** A new one. */
export const flavorCreateSchema = z
  .strictObject({
    name: nameSchema.meta({ description: 'By which flows name it.' }),
    ...amounts,
    description: descriptionSchema.default('').meta({ description: 'For people.' }),
  })
  .meta({ id: 'FlavorCreate' })

/** What changes of a flavor; its name does not. */
export const flavorUpdateSchema = z
  .strictObject({ ...amounts, description: descriptionSchema.meta({ description: 'For people.' }) })
  .partial()
  .meta({ id: 'FlavorUpdate' })
export type FlavorUpdate = z.output<typeof flavorUpdateSchema>
