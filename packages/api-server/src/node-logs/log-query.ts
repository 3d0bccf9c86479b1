/**
 * The query of the two endpoints that read what a node has printed (wire decision V18).
 * @module
 */
import { MAX_LOG_BYTES, MAX_LOG_PART_BYTES } from '@flow-service/protocol'
import * as z from 'zod'

import { integer } from '../http/query.ts'

/** The part that is asked for. */
export const logQuery = z.object({
  after: integer({ min: 0 })
    .default(0)
    .meta({ description: 'Bytes to leave out: `next` of the answer before. What is kept no more is left out anyway.' }),
  limit: integer({ min: 1, max: MAX_LOG_PART_BYTES })
    .default(MAX_LOG_BYTES)
    .meta({ description: 'Bytes of text at most; one whole character is given all the same.' }),
})
