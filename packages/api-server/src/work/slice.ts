/**
 * What of live flows outlives the engine: work, the last values that it waits for, and failures.
 * @module
 */
import { flowPart } from '@flow-service/protocol'

import { artifacts } from '../artifacts/slice.ts'
import { database } from '../db/layer.ts'
import { fence, lease } from '../engines/slice.ts'
import { deadLetters } from '../events/slice.ts'
import { type LastValues, openLastValues } from '../messages/last-values.ts'
import { lastValues } from '../messages/slice.ts'
import { log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { secrets } from '../secrets/slice.ts'
import { type Markers, openMarkers } from './markers.ts'
import type { OwedValue } from './owed-values.ts'
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
    { artifacts, database, deadLetters, fence, log, secrets },
    async ({ artifacts, database, deadLetters, fence, log, secrets }) => {
      const work = createWork({
        database,
        fence,
        log,
        seals: secrets,
        beforeDrops: () => deadLetters.written(),
        recorded: () => lastValues.written(),
      })
      const lastValues: LastValues = await openLastValues({
        database,
        artifacts,
        fence,
        log,
        waits: () => work.isWriting,
      })
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

/** Takes over what other engines have written of flows that this one runs from now on. */
export const adoptFlows = noun<(flows: readonly string[]) => Promise<void>>()('adoptFlows')

export const adoptionLayer = makes(
  adoptFlows,
  { lastValues, markers, secrets, work },
  ({ lastValues, markers, secrets, work }) =>
    async (flows) => {
      await markers.reread(flows)
      await work.recover(async (values) => {
        await lastValues.reread([...flows, ...values.map(({ source }) => flowPart(source.message))])
        record(values, lastValues, secrets)
      }, flows)
      await lastValues.flush()
    },
)

/**
 * Records the values that an earlier life has published and may not have written, before anybody publishes. Where several
 * engines share the database, whoever takes a flow does so (`adoptFlows`).
 */
export const recoverValues = begins(
  { lastValues, lease, secrets, work },
  async ({ lastValues, lease, secrets, work }) => {
    if (lease.id !== null) return
    await work.recover((values) => record(values, lastValues, secrets))
    // before work is done that this life lets go of
    await lastValues.flush()
  },
)

function record(
  values: readonly OwedValue[],
  lastValues: Pick<LastValues, 'recover'>,
  secrets: Pick<Secrets, 'mask'>,
): void {
  for (const { source, value, atMs } of values) lastValues.recover(source, secrets.mask(value), atMs)
}
