/**
 * The database of an engine as a layer; every slice that stores something needs it.
 * @module
 */
import { config, log } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { type Database, openDatabase } from './database.ts'

export const database = noun<Database>()('database')

/** Opens the embedded database or the server's, with its tables up to date. */
export const databaseLayer = makes(
  database,
  { config, log },
  ({ config: { dataDir, databaseUrl }, log }) =>
    openDatabase({ dataDir, log, ...(databaseUrl === null ? {} : { databaseUrl }) }),
  (opened) => opened.close(),
)
