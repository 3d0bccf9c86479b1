/** A program that is tracked, as its client would: it counts what it sends. */
import {
  type RunTrack,
  type RunTrackAppend,
  runTrackAppendSchema,
  type RunTracked,
  runTrackSchema,
} from '@flow-service/protocol'
import type { z } from 'zod'

import type { TestEngine } from '../engine.ts'

export const ann = { id: '0198f6a0-0000-7000-8000-00000000000a', email: 'ann@example.org' }
export const bob = { id: '0198f6a0-0000-7000-8000-00000000000b', email: 'bob@example.org' }

/** Begins a run of Ann. */
export const begin = (engine: TestEngine, body: Partial<z.input<typeof runTrackSchema>> = {}) =>
  engine.runs.tracked.begin(runTrackSchema.parse({ flow: 'fit', ...body }) as RunTrack, ann)

/** Tells something of a run. */
export const tell = (
  engine: TestEngine,
  run: string,
  body: z.input<typeof runTrackAppendSchema>,
  by = ann,
): Promise<RunTracked> => engine.runs.tracked.append(run, runTrackAppendSchema.parse(body) as RunTrackAppend, by)

/** The problem that something is refused with. */
export const refusal = (asking: Promise<unknown>): Promise<{ code: string; message: string; extensions: object }> =>
  asking.then(
    (value) => {
      throw new Error(`was not refused, but answered ${JSON.stringify(value)}`)
    },
    (error: unknown) => error as never,
  )

/** As if so many seconds had passed since the programs of running runs were heard. */
export async function silent({ database }: TestEngine, seconds: number): Promise<void> {
  await database.sql`update run set lease_until = lease_until - make_interval(secs => ${seconds}) where status = 'running'`
}
