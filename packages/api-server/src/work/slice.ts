/**
 * What of live flows outlives the engine: work, the last values that it waits for, and failures.
 * @module
 */
import { artifacts } from '../artifacts/slice.ts'
import { database } from '../db/layer.ts'
import { deadLetters } from '../events/slice.ts'
import { type LastValues, openLastValues } from '../messages/last-values.ts'
import { lastValues } from '../messages/slice.ts'
import { log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { secrets } from '../secrets/slice.ts'
import { type Markers, openMarkers } from './markers.ts'
import { createWork, type LiveWork } from './work.ts'

export const work = noun<LiveWork>()('work')
export const markers = noun<Markers>()('markers')

/**
 * Kept work goes when the values that it has published are recorded, and recording yields while kept work is written: so
 * both are made, and closed, as one.
 */
const kept = noun<{ readonly work: LiveWork; readonly lastValues: LastValues }>()('kept')

export const workLayer = inOrder(
  makes(
    kept,
    { artifacts, database, deadLetters, log, secrets },
    async ({ artifacts, database, deadLetters, log, secrets }) => {
      const work = createWork({
        database,
        log,
        seals: secrets,
        beforeDrops: () => deadLetters.flush(),
        recorded: () => lastValues.written(),
      })
      const lastValues: LastValues = await openLastValues({ database, artifacts, log, waits: () => work.isWriting })
      return { work, lastValues }
    },
    async ({ work, lastValues }) => {
      // values that are written let go of the work that they were published by
      try {
        await lastValues.close()
      } finally {
        await work.close()
      }
    },
  ),
  makes(work, { kept }, ({ kept }) => kept.work),
  makes(lastValues, { kept }, ({ kept }) => kept.lastValues),
  makes(
    markers,
    { database, log, secrets },
    ({ secrets, ...deps }) => openMarkers({ ...deps, seals: secrets }),
    (opened) => opened.close(),
  ),
)

/** Records the values that an earlier life has published and may not have written, before anybody publishes. */
export const recoverValues = begins({ lastValues, secrets, work }, async ({ lastValues, secrets, work }) => {
  await work.recover((values) => {
    for (const { source, value, atMs } of values) lastValues.recover(source, secrets.mask(value), atMs)
  })
  // before work is done that this life lets go of
  await lastValues.flush()
})
