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
    total: workerAmountsSchema.meta({ description: 'What all of them offer.' }),
    used: workerAmountsSchema.meta({ description: 'What calls take of it.' }),
    free: workerAmountsSchema.meta({ description: 'What is left of it.' }),
    workers: z
      .array(
        z
          .object({
            name: z.string().meta({ description: 'Of the worker.' }),
            labels: z.array(z.string()).meta({ description: 'What nodes ask for by `worker`.' }),
            total: workerAmountsSchema.meta({ description: 'What it offers.' }),
            free: workerAmountsSchema.meta({ description: 'What is left of that.' }),
          })
          .meta({ id: 'WorkerShare' }),
      )
      .meta({ description: 'Each of them.' }),
    pythons: z
      .array(
        z
          .object({
            name: z
              .string()
              .nullable()
              .meta({ description: 'What flows ask for by `resources.python`; null of the one that others get.' }),
            worker: z.string().meta({ description: '`engine` for those of the engine itself.' }),
            version: z.string().nullable().meta({ description: 'Null when it does not run.' }),
            path: z
              .string()
              .nullable()
              .meta({ description: 'Of the program, on the machine of the engine; else null.' }),
          })
          .meta({ id: 'WorkerPython' }),
      )
      .meta({ description: 'Interpreters of the engine by name, then those of attached workers.' }),
    provisioners: z
      .array(provisionerStateSchema)
      .meta({ description: 'Those of provisioners.json of this engine, in its order.' }),
  })
  .meta({ id: 'WorkerResources' })
