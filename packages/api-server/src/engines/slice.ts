/**
 * The engines that have one database open.
 * @module
 */
import { engineVersion } from '../config.ts'
import { database } from '../db/layer.ts'
import { clock, config, log } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { type EngineContact, openContact } from './contact.ts'

export const contact = noun<EngineContact>()('contact')

/** Closed after all that runs flows. */
export const enginesLayer = makes(
  contact,
  { clock, config, database, log },
  ({ config: { dataDir, advertiseUrl: attachUrl }, ...deps }) =>
    openContact({ ...deps, dataDir, attachUrl, version: engineVersion }),
  (opened) => opened.close(),
)
