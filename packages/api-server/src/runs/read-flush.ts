/**
 * What a read waits for before it looks: the write of what has gathered about a run that executes here (I7).
 * @module
 */
import type { Clock } from '@flow-service/core'

import { ProblemError } from '../http/errors.ts'

/** Writes are repeated for as long as the database does not take them; who reads is not kept that long. */
const PATIENCE_MS = 5_000

/** Resolves when what has gathered is written; refuses with `unavailable` when that takes more than 5 s. */
export async function flushForRead(
  execution: { flush(): Promise<void> } | null,
  clock: Pick<Clock, 'setTimer'>,
): Promise<void> {
  if (execution === null) return
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = clock.setTimer(PATIENCE_MS, () =>
    reject(
      new ProblemError('unavailable', 'the database does not take what the run has done now; try again', {
        retry_after_s: 5,
      }),
    ),
  )
  try {
    await Promise.race([execution.flush(), late])
  } finally {
    cancel()
  }
}
