/**
 * What the workers of an engine have together, and those that could join them (wire decision G53).
 * @module
 */
import * as z from 'zod'

import { provisionerStateSchema } from './provisioner.ts'
import { workerAmountsSchema } from './worker.ts'

/** What all workers have together, who has it, and how provisioners fare. */
export const workerResourcesSchema = z
  .object({
    total: workerAmountsSchema,
    used: workerAmountsSchema,
    free: workerAmountsSchema,
    workers: z.array(
      z
        .object({
          name: z.string(),
          labels: z.array(z.string()),
          total: workerAmountsSchema,
          free: workerAmountsSchema,
        })
        .meta({ id: 'WorkerShare' }),
    ),
    provisioners: z
      .array(provisionerStateSchema)
      .meta({ description: 'Those of provisioners.json of this engine, in its order.' }),
  })
  .meta({ id: 'WorkerResources' })
