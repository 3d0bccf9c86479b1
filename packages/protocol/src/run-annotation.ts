/**
 * What people add to runs (wire decision V14).
 * @module
 */
import * as z from 'zod'

/** Most characters of a note. */
export const MAX_NOTE_CHARACTERS = 10_000
/** Most tags of a run. */
export const MAX_RUN_TAGS = 32
/** Most runs that one request changes. */
const MAX_ANNOTATED_RUNS = 1000

const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
const unstorable = 'use characters that can be stored: no U+0000, no half of a surrogate pair'

/** A word by which runs are found. */
export const runTagSchema = z
  .string()
  .regex(/^\P{White_Space}{1,64}$/u, 'use 1 to 64 characters without white space')
  .refine(storable, unstorable)
  .meta({ id: 'RunTag', description: 'A word by which runs are found: 1 to 64 characters without white space.' })

const pinnedSchema = z.boolean().optional().meta({ description: 'Whether it is pinned.' })
const archivedSchema = z
  .boolean()
  .optional()
  .meta({ description: 'Whether lists leave it out unless they are asked for it.' })
const tagsSchema = z.array(runTagSchema).max(MAX_RUN_TAGS).optional()

/** Changes of one run; what is left out stays. */
export const runAnnotationSchema = z
  .strictObject({
    note: z
      .string()
      .max(MAX_NOTE_CHARACTERS)
      .refine(storable, unstorable)
      .optional()
      .meta({ description: 'What is written about the run, in place of what was.' }),
    tags: tagsSchema.meta({ description: 'Its tags, in place of those that it had.' }),
    pinned: pinnedSchema,
    archived: archivedSchema,
  })
  .meta({ id: 'RunAnnotation', examples: [{ note: 'Learning rate too high.', tags: ['baseline'], pinned: true }] })
/** Changes of one run; what is left out stays. */
export type RunAnnotation = z.infer<typeof runAnnotationSchema>

/** Changes of many runs; what is left out stays. */
export const runsAnnotationSchema = z
  .strictObject({
    ids: z.array(z.uuid()).min(1).max(MAX_ANNOTATED_RUNS).meta({ description: 'The runs; each has to exist.' }),
    add_tags: tagsSchema.meta({ description: 'Tags that each of them gets.' }),
    remove_tags: tagsSchema.meta({ description: 'Tags that none of them keeps.' }),
    pinned: pinnedSchema,
    archived: archivedSchema,
  })
  .meta({
    id: 'RunsAnnotation',
    examples: [{ ids: ['01a20beb-33d9-744f-8650-f4571dc9f3fa'], add_tags: ['baseline'], archived: true }],
  })
/** Changes of many runs; what is left out stays. */
export type RunsAnnotation = z.infer<typeof runsAnnotationSchema>

/** How many runs are different now. */
export const changedCountSchema = z
  .object({ changed: z.int().meta({ description: 'Runs that are different now; the others were so before.' }) })
  .meta({ id: 'ChangedCount', examples: [{ changed: 1 }] })
export type ChangedCount = z.infer<typeof changedCountSchema>
