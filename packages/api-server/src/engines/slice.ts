/**
 * The engines that have one database open.
 * @module
 */
import { signingKey } from '../auth/slice.ts'
import { engineVersion } from '../config.ts'
import { database } from '../db/layer.ts'
import { routes } from '../http/slice-api.ts'
import { clock, config, log } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { Fence } from './fence.ts'
import { type EngineLease, openLease } from './lease.ts'
import { LINK_PROTOCOL } from './links/greeting.ts'
import { createLinks, type Links } from './links/links.ts'
import type { Roster } from './roster.ts'
import { enginesEndpoints, enginesHandlers } from './routes.ts'

export const lease = noun<EngineLease>()('lease')

/** What keeps this engine from writing for flows that others have taken. */
export const fence = noun<Fence>()('fence')

/** The ways to the other engines; null on the embedded database, which has none. */
export const links = noun<Links | null>()('links')

/** The engines for people; made where it is known what runs. */
export const roster = noun<Roster>()('roster')

/** Closed after all that runs flows. */
export const enginesLayer = inOrder(
  makes(
    lease,
    { clock, config, database, log },
    ({ config: { advertiseUrl: attachUrl, dataDir, engineLeaseS, engineUrl: linkUrl }, ...deps }) =>
      openLease({
        ...deps,
        dataDir,
        attachUrl,
        linkUrl,
        version: engineVersion,
        protocol: LINK_PROTOCOL,
        leaseMs: engineLeaseS * 1000,
      }),
    (opened) => opened.close(),
  ),
  makes(fence, { lease }, ({ lease }) => new Fence(lease)),
)

/** Made once the key of the database is known. */
export const linksLayer = makes(
  links,
  { clock, lease, log, signingKey },
  ({ clock, lease, log, signingKey }) =>
    lease.id === null
      ? null
      : createLinks({
          self: { id: lease.id, version: engineVersion },
          addressOf: (engine) => lease.engines.find(({ id }) => id === engine)?.linkUrl ?? null,
          signingKey,
          clock,
          log,
        }),
  (made) => made?.close(),
)

export const enginesApi = {
  tags: { engines: 'The engines of a database: who lives, and what each of them runs.' },
  routes: [routes(enginesEndpoints, { roster }, enginesHandlers)],
}
