import { ConfigError, openStoppedAccounts, type StoppedAccounts } from '@flow-service/api-server'
import type { Client } from '@flow-service/client-sdk'
import type { UserAdmin } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { ask, readAll } from '../hidden-input.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, printAnswer, shortTime, status } from '../terminal.ts'

/** The accounts of an engine, or of one that does not run. */
interface Accounts extends Pick<StoppedAccounts, 'list' | 'remove'> {
  create(
    user: Parameters<Client['http']['users']['create']>[0] & { is_superuser: boolean },
  ): ReturnType<StoppedAccounts['create']>
  update(id: string, change: Change): Promise<UserAdmin>
}
type Change = Omit<Parameters<Client['http']['users']['update']>[0], 'id'>

interface UsersFlags extends ClientFlags {
  readonly data?: string
}

/** `service users list`. */
export async function listUsers(flags: UsersFlags): Promise<void> {
  const users = await withAccounts(flags, (accounts) => accounts.list())
  const rows = users.map((user) => [
    user.email,
    oneLine(user.full_name ?? '-', 40),
    user.is_superuser ? 'superuser' : 'user',
    status(stateOf(user)),
    user.sign_in.join(', ') || '-',
    user.last_sign_in_at === null ? 'never' : shortTime(user.last_sign_in_at),
  ])
  printAnswer(users, flags.json, () =>
    table(['E-MAIL', 'NAME', 'ROLE', 'STATE', 'SIGNS IN BY', 'LAST SIGN-IN'], rows, 'There are no users yet.'),
  )
}

function stateOf({ is_active: isActive, sign_in: ways }: UserAdmin): string {
  if (!isActive) return 'inactive'
  return ways.length === 0 ? 'invited' : 'active'
}

interface AddFlags extends UsersFlags {
  readonly name?: string
  readonly superuser?: boolean
  readonly password?: boolean
}

/** `service users add <email>`. */
export async function addUser(email: string, flags: AddFlags): Promise<void> {
  const password = flags.password ? { password: await newPassword(email) } : {}
  const name = flags.name === undefined ? {} : { full_name: flags.name }
  const user = { email, ...name, is_superuser: flags.superuser ?? false, ...password }
  const created = await withAccounts(flags, (accounts) => accounts.create(user))
  printAnswer(created, flags.json, () => {
    const added = `Added ${bold(created.email)}`
    if (flags.password) return `${added}.`
    if (created.invite_url === null) return `${added}; a mail with the invite is on its way.`
    return `${added}. Hand them this link, good for 24 hours and one use:\n${created.invite_url}`
  })
}

/** `service users passwd <user>`. */
export async function setPassword(wanted: string, flags: UsersFlags): Promise<void> {
  const password = await newPassword(wanted)
  const user = await changed(wanted, { password }, flags)
  printAnswer(user, flags.json, () => `${bold(user.email)} has a new password; their sessions have ended.`)
}

/** `service users deactivate <user>`. */
export async function deactivateUser(wanted: string, flags: UsersFlags): Promise<void> {
  const user = await changed(wanted, { is_active: false }, flags)
  printAnswer(user, flags.json, () => `${bold(user.email)} cannot sign in any more; their sessions have ended.`)
}

/** `service users activate <user>`. */
export async function activateUser(wanted: string, flags: UsersFlags): Promise<void> {
  const user = await changed(wanted, { is_active: true }, flags)
  printAnswer(user, flags.json, () => `${bold(user.email)} can sign in again.`)
}

/** `service users promote <user>`. */
export async function promoteUser(wanted: string, flags: UsersFlags): Promise<void> {
  const user = await changed(wanted, { is_superuser: true }, flags)
  printAnswer(user, flags.json, () => `${bold(user.email)} is a superuser.`)
}

/** `service users demote <user>`. */
export async function demoteUser(wanted: string, flags: UsersFlags): Promise<void> {
  const user = await changed(wanted, { is_superuser: false }, flags)
  printAnswer(user, flags.json, () => `${bold(user.email)} is an ordinary user.`)
}

/** `service users delete <user>`. */
export async function deleteUser(wanted: string, flags: UsersFlags): Promise<void> {
  const user = await withAccounts(flags, async (accounts) => {
    const found = await find(accounts, wanted)
    await accounts.remove(found.id)
    return found
  })
  printAnswer({ id: user.id, email: user.email }, flags.json, () => `Deleted ${bold(user.email)}.`)
}

const changed = (wanted: string, change: Change, flags: UsersFlags): Promise<UserAdmin> =>
  withAccounts(flags, async (accounts) => accounts.update((await find(accounts, wanted)).id, change))

async function find(accounts: Pick<StoppedAccounts, 'list'>, wanted: string): Promise<UserAdmin> {
  const users = await accounts.list()
  const found = users.find(({ id, email }) => id === wanted || email === wanted.toLowerCase())
  if (found) return found
  throw new CommandFailure(1, `there is no user "${wanted}"\n  see who there is: service users list`)
}

/** Typed twice on a terminal, so that a slip locks nobody out. */
async function newPassword(user: string): Promise<string> {
  if (!process.stdin.isTTY) return readAll()
  const password = await ask(`New password of ${user}: `, 'pipe the password in')
  if ((await ask('Once more: ', 'pipe the password in')) !== password)
    throw new CommandFailure(2, 'the two passwords are not the same: nothing was changed')
  return password
}

/** The accounts of the engine that is asked, or those in the data directory of one that does not run. */
async function withAccounts<T>(flags: UsersFlags, use: (accounts: Accounts) => Promise<T>): Promise<T> {
  if (flags.data !== undefined) return withStopped(flags.data, use)
  const { users } = connect(flags).http
  return use({
    list: () => users.list(),
    create: (user) => users.create(user),
    update: (id, body) => users.update({ id, ...body }),
    remove: (id) => users.delete({ id }),
  })
}

async function withStopped<T>(dataDir: string, use: (accounts: Accounts) => Promise<T>): Promise<T> {
  try {
    const accounts = await openStoppedAccounts(dataDir)
    try {
      return await use(accounts)
    } finally {
      await accounts.close()
    }
  } catch (error) {
    throw error instanceof ConfigError ? new CommandFailure(1, error.message) : error
  }
}
