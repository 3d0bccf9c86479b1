/**
 * What a node has printed, read from an offset on (wire decision V18): of a node of a run, and of one of a live flow.
 * @module
 */
import * as z from 'zod'

/** Largest part of a log that one answer may have, in bytes. */
export const MAX_LOG_PART_BYTES = 262_144

/** A part of what a node has printed. */
export const nodeLogsSchema = z
  .object({
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().meta({ description: 'Id of the node.' }),
    run: z.string().nullable().meta({ description: 'Id of the run; null of a live flow.' }),
    from: z.int().meta({ description: 'Offset of the first byte of `text`.' }),
    next: z.int().meta({ description: 'Offset behind its last byte: `after` of the next request.' }),
    text: z.string().meta({ description: 'What the node has printed, without the values of secrets.' }),
    cut: z.boolean().meta({ description: 'Whether the text that `after` asked for is not kept any more.' }),
    ended: z
      .boolean()
      .meta({ description: 'Whether nothing more comes as things are: the node, or its flow, has ended.' }),
  })
  .meta({ id: 'NodeLogs' })
/** A part of what a node has printed. Offsets are UTF-8 bytes of all that it has printed. */
export type NodeLogs = z.infer<typeof nodeLogsSchema>
