/**
 * The two places of a database, as the commands name them: `embedded` is that of a data directory, anything else the URL of a
 * PostgreSQL server.
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { resolveConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { DATABASE_FOLDER } from '../db/opening.ts'
import { ConfigError } from '../process/setting.ts'

/** Where a database is. */
export type Place =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | {
      readonly kind: 'server'
      readonly url: string
      /** What has named it, for messages; `SERVICE_DATABASE_URL` unless given. */
      readonly urlFrom?: string
    }

const quiet = { info() {}, warn() {}, error() {} }

/** The place of that name; throws `ConfigError` when it is none. `option` is what names it. */
export function placeOf(name: string, dataDir: string, option: string): Place {
  if (name === 'embedded') return { kind: 'embedded', dataDir }
  try {
    const { databaseUrl } = resolveConfig({ databaseUrl: name }, {})
    if (databaseUrl !== null) return { kind: 'server', url: databaseUrl, urlFrom: option }
  } catch {
    // what it may be is told below, without what may be a password
  }
  throw new ConfigError(
    `${option} is neither "embedded" nor the URL of a PostgreSQL server: write it like postgres://user:password@host:5432/name`,
  )
}

/** A place for people, without the password of a URL. */
export function placeText(place: Place): string {
  if (place.kind === 'embedded') return `the embedded database in ${place.dataDir}`
  const { host, pathname } = new URL(place.url)
  return `the PostgreSQL server ${host}${pathname}`
}

/** Whether it is the same one, as far as its name tells. */
export const isSamePlace = (one: Place, other: Place): boolean =>
  one.kind === 'embedded'
    ? other.kind === 'embedded' && one.dataDir === other.dataDir
    : other.kind === 'server' && placeText(one) === placeText(other)

/** Whether there is a database: a server is asked later. */
export const isThere = (place: Place): boolean =>
  place.kind === 'server' || existsSync(join(place.dataDir, DATABASE_FOLDER, 'PG_VERSION'))

/** Opens a database with the tables as they are; an embedded one is made when there is none. */
export function openPlace(place: Place): Promise<Database> {
  const prepare = async (): Promise<void> => {}
  if (place.kind === 'embedded') return openDatabase({ dataDir: place.dataDir, log: quiet, prepare })
  const { url: databaseUrl, urlFrom = 'SERVICE_DATABASE_URL' } = place
  return openDatabase({ dataDir: '.', databaseUrl, urlFrom, log: quiet, prepare })
}
