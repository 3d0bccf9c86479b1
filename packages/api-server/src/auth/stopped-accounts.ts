/**
 * The accounts of an engine that does not run, for `service users --data`: whoever can read its data directory may change
 * them, and gets in again when nobody can sign in.
 * @module
 */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import {
  type UserAdmin,
  type UserCreate,
  type UserCreated,
  userCreateSchema,
  type UserUpdate,
  userUpdateSchema,
} from '@flow-service/protocol'
import type * as z from 'zod'

import { resolveConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { DATABASE_FOLDER } from '../db/opening.ts'
import { createEventLog } from '../events/event-log.ts'
import { invalidPart, ProblemError } from '../http/errors.ts'
import { Mails } from '../mail/mails.ts'
import { ConfigError } from '../process/setting.ts'
import { createAccountNews } from './account-news.ts'
import { Accounts } from './accounts.ts'
import { Passwords } from './passwords.ts'
import { PublicUrl } from './public-url.ts'
import { PasswordLinks } from './recovery/links.ts'

const quiet = { info() {}, warn() {}, error() {} }

/** Accounts of a data directory. */
export interface StoppedAccounts {
  /** By e-mail. */
  list(): Promise<UserAdmin[]>
  /** Adds a user; the link of an invite stands in the answer. What is refused, here and below, is a `ConfigError`. */
  create(user: UserCreate): Promise<UserCreated>
  update(id: string, change: UserUpdate): Promise<UserAdmin>
  remove(id: string): Promise<void>
  /** Lets go of the data directory. */
  close(): Promise<void>
}

/**
 * Opens the accounts in the embedded database of `dataDir`; the audit trail has their changes as those of the user of this
 * machine. Throws `ConfigError` when there is no database, and an Error when an engine has it open.
 */
export async function openStoppedAccounts(dataDir: string): Promise<StoppedAccounts> {
  const { SERVICE_DATABASE_URL: _server, ...env } = process.env
  const config = resolveConfig({ dataDir }, env)
  if (!existsSync(join(config.dataDir, DATABASE_FOLDER)))
    throw new ConfigError(`there is no database in "${config.dataDir}": name the data directory of an engine`)
  const database = await openDatabase({ dataDir: config.dataDir, log: quiet })
  const publicUrl = new PublicUrl(config)
  publicUrl.listensAt(`http://${config.host}:${config.port}`)
  const accounts = new Accounts({
    database,
    eventLog: createEventLog({ database, log: quiet }),
    links: new PasswordLinks({ sql: database.sql, publicUrl }),
    // no engine sends any: the link of an invite is shown
    mail: new Mails({ database, mailer: null }),
    news: createAccountNews(database),
    passwords: new Passwords(),
  })
  const by = { id: 'cli', email: userInfo().username, via: 'cli', name: null } as const
  return {
    list: () => accounts.list(),
    create: (user) => plainly(async () => accounts.create(parsed(userCreateSchema, user), by)),
    update: (id, change) => plainly(async () => accounts.update(id, parsed(userUpdateSchema, change), by)),
    remove: (id) => plainly(() => accounts.remove(id, by)),
    close: () => database.close(),
  }
}

function parsed<T>(schema: z.ZodType<T>, given: unknown): T {
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  throw invalidPart(error, 'body')
}

/** A refusal as `ConfigError`: there is no request that it could answer. */
async function plainly<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    throw error instanceof ProblemError ? new ConfigError(error.message) : error
  }
}
