/**
 * The database of an engine as a layer; every slice that stores something needs it.
 * @module
 */
import { config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { type Database, openDatabase } from './database.ts'
import { createPins, type Pins } from './pins.ts'

export const database = noun<Database>()('database')

/** What engines of the database have alike; null on the embedded one. */
export const pins = noun<Pins | null>()('pins')

/** Opens the embedded database or the server's, with its tables up to date. */
export const databaseLayer = inOrder(
  makes(
    database,
    { config, log },
    ({ config: { dataDir, databaseUrl }, log }) =>
      openDatabase({ dataDir, log, ...(databaseUrl === null ? {} : { databaseUrl }) }),
    (opened) => opened.close(),
  ),
  makes(
    pins,
    { database },
    ({ database }) => createPins(database),
    (opened) => opened?.abandon(),
  ),
)

/** Pins what this engine has, before anything acts: all of it was found to be right. */
export const settlePins = begins({ pins }, ({ pins }) => pins?.settle())
