/**
 * Secrets: sealed in the database, open in the memory of every engine of it, so that nodes get values without a wait
 * and everything that is shown can be searched for them. States and invariants: DESIGN.md beside this file.
 * @module
 */
import type { Secrets as SecretValues } from '@flow-service/core'
import type { SecretUsage } from '@flow-service/protocol'

import type { ResolvedConfig } from '../config.ts'
import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import type { SecretCipher } from './cipher.ts'
import type { Redactor } from './redactor.ts'
import { loadSecretKey } from './secret-key.ts'
import { createSecretStore, type SecretRow, type SecretStore, type SecretUser } from './store.ts'

const CHANNEL = 'secret_changed'
/** Before sealed texts; no JSON begins with it. */
const SEALED = 'sealed:'
/** Values that were replaced or deleted, and are masked all the same until the engine ends. */
const MAX_RETIRED = 1_000

/** What secrets are made of. */
export interface SecretsDeps {
  readonly config: Pick<ResolvedConfig, 'dataDir' | 'environment' | 'secretKey'>
  readonly database: Pick<Database, 'sql' | 'transaction' | 'listen' | 'notify'>
  readonly redactor: Redactor
  readonly log: Pick<Log, 'error'>
}

/** Hears which secrets have other values than before; flows that use them are to be built anew. */
type SecretListener = (names: readonly string[]) => Promise<void>

/** A change by a user; `audit` writes its entry in the same transaction. */
interface Change {
  readonly by: string
  readonly audit: (tx: Sql) => Promise<void>
}

/** What refers to secrets beside nodes, by their names, each as people are told of it. */
type OtherUses = (sql: Sql) => Promise<ReadonlyMap<string, readonly string[]>>

/** Opens the secrets of a database. Throws `ConfigError` when the key is not theirs; nothing is changed then. */
export async function openSecrets(deps: SecretsDeps): Promise<Secrets> {
  const cipher = await loadSecretKey(deps.config, createSecretStore(deps.database.sql))
  const secrets = new Secrets(cipher, deps)
  await secrets.open()
  return secrets
}

/** The secrets of a database; made by {@link openSecrets}. */
export class Secrets implements SecretValues {
  readonly #deps: SecretsDeps
  readonly #store: SecretStore
  readonly #cipher: SecretCipher
  #values: ReadonlyMap<string, string> = new Map()
  #retired: string[] = []
  #generation = 0
  #listener: SecretListener | null = null
  #otherUses: OtherUses = async () => new Map()
  /** What has changed since the opening while nobody listened. */
  #untold = new Set<string>()
  #unlisten: (() => Promise<void>) | null = null
  /** The latest reading; they follow each other (secrets.X3). */
  #reading: Promise<void> = Promise.resolve()

  constructor(cipher: SecretCipher, deps: SecretsDeps) {
    this.#cipher = cipher
    this.#deps = deps
    this.#store = createSecretStore(deps.database.sql)
  }

  /** Listens to the other engines, then reads what there is. */
  async open(): Promise<void> {
    const news = (name: string | null): void => void this.#refreshBehind(name)
    this.#unlisten = await this.#deps.database.listen(CHANNEL, news, () => news(null))
    await this.#refresh(null)
    // nobody has got a value so far
    this.#untold.clear()
  }

  async close(): Promise<void> {
    await this.#unlisten?.()
    await this.#reading
  }

  /** Tells of changes, of this engine and of others: of those since the opening first, which this waits for. */
  async onChange(listener: SecretListener): Promise<void> {
    this.#listener = listener
    const missed = [...this.#untold]
    this.#untold.clear()
    try {
      if (missed.length > 0) await listener(missed)
    } catch (error) {
      this.#deps.log.error({ err: error, secrets: missed }, 'changed secrets could not be put to use')
    }
  }

  readonly valueOf = (name: string): string | undefined => this.#values.get(name)

  readonly mask: SecretValues['mask'] = (shown) => this.#deps.redactor.mask(shown)

  /** A text that holds a value, sealed for the place where it is stored (secrets.X7); any other one as it is. */
  seal(place: string, text: string): string {
    return this.#deps.redactor.finds(text) ? this.sealed(place, text) : text
  }

  /** A text sealed for the place where it is stored, whatever it holds. */
  sealed(place: string, text: string): string {
    return SEALED + this.#cipher.seal(place, text).toString('base64')
  }

  /** The text again; null when it was sealed for another place, or its bytes were changed. */
  unseal(place: string, stored: string): string | null {
    if (!stored.startsWith(SEALED)) return stored
    return this.#cipher.open(place, Buffer.from(stored.slice(SEALED.length), 'base64'))
  }

  /** Grows with every change: what was said of secrets in the same generation still holds. */
  get generation(): number {
    return this.#generation
  }

  /** Names in their order. */
  async names(): Promise<string[]> {
    return (await this.#store.list()).map(({ name }) => name)
  }

  /** Secrets are kept and listed as used by what this finds, too. */
  alsoUsedBy(find: OtherUses): void {
    this.#otherUses = find
  }

  /** All secrets by name, with what refers to them. */
  async usage(): Promise<SecretUsage[]> {
    const { sql } = this.#deps.database
    const reads = [this.#store.list(), this.#store.users(null), this.#otherUses(sql)] as const
    const [entries, users, others] = await Promise.all(reads)
    const bySecret = Map.groupBy(users, ({ secret }) => secret)
    return entries.map((entry) => ({
      ...entry,
      used_by: (bySecret.get(entry.name) ?? []).map(useOf),
      others: [...(others.get(entry.name) ?? [])],
    }))
  }

  /** The nodes whose draft or published form refers to one of these secrets. */
  users(names: readonly string[]): Promise<SecretUser[]> {
    return this.#store.users(names)
  }

  /** Stores a value, in place of an earlier one. Resolves when it is committed and flows that use it are built anew. */
  async put(name: string, value: string, { by, audit }: Change): Promise<void> {
    const row = { name, sealed: this.#cipher.seal(name, value), key_id: this.#cipher.id }
    await this.#deps.database.transaction(async (tx) => {
      await createSecretStore(tx).put(row, by)
      await audit(tx)
    })
    await this.#changed(name)
  }

  /** Refuses with `not_found`, and with `in_use` while something refers to it. */
  async remove(name: string, { audit }: Change): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const store = createSecretStore(tx)
      if (!(await store.remove(name))) throw new ProblemError('not_found', `there is no secret "${name}"`)
      const users = await store.users([name])
      const others = (await this.#otherUses(tx)).get(name) ?? []
      if (users.length + others.length > 0) throw inUse(name, users, others)
      await audit(tx)
    })
    await this.#changed(name)
  }

  /** What is committed is done, whatever comes of telling it. */
  async #changed(name: string): Promise<void> {
    await this.#refreshBehind(name)
    try {
      await this.#deps.database.notify(CHANNEL, name)
    } catch (error) {
      this.#deps.log.error({ err: error, secret: name }, 'other engines could not be told of a changed secret')
    }
  }

  async #refreshBehind(name: string | null): Promise<void> {
    try {
      await this.#refresh(name)
    } catch (error) {
      this.#deps.log.error({ err: error, secret: name }, 'a changed secret could not be put to use')
    }
  }

  /** Reads one secret, or all, and tells what has changed. */
  async #refresh(name: string | null): Promise<void> {
    let changed: readonly string[] = []
    const reading = this.#reading.then(async () => {
      const rows = await this.#store.read(name)
      changed = this.#take(name === null ? [...this.#values.keys()] : [name], rows)
    })
    this.#reading = reading.catch(() => {})
    await reading
    if (changed.length === 0) return
    if (this.#listener) await this.#listener(changed)
    else for (const each of changed) this.#untold.add(each)
  }

  /** Takes over what was read of `known` and other secrets; the names of those whose value is another one. */
  #take(known: readonly string[], rows: readonly SecretRow[]): string[] {
    const values = new Map(this.#values)
    const open = new Map(rows.map((row) => [row.name, this.#open(row)]))
    for (const name of known) if (!open.has(name)) open.set(name, undefined)
    const changed = [...open].filter(([name, value]) => value !== values.get(name))
    if (changed.length === 0) return []
    for (const [name, value] of changed) {
      const before = values.get(name)
      if (before !== undefined) this.#retired.push(before)
      if (value === undefined) values.delete(name)
      else values.set(name, value)
    }
    this.#retired = this.#retired.slice(-MAX_RETIRED)
    // secrets.X2: nobody gets a value that is not masked yet
    this.#deps.redactor.set([...values.values(), ...this.#retired])
    this.#values = values
    this.#generation++
    return changed.map(([name]) => name)
  }

  /** One that cannot be opened counts as missing: it keeps nothing else from working. */
  #open({ name, sealed, key_id: keyId }: SecretRow): string | undefined {
    const value = this.#cipher.open(name, sealed)
    if (value !== null) return value
    const why = keyId === this.#cipher.id ? 'its bytes were changed' : `it is sealed under the key ${keyId}`
    this.#deps.log.error({ secret: name }, `a secret cannot be read: ${why}; store it again`)
    return undefined
  }
}

function inUse(name: string, users: readonly SecretUser[], others: readonly string[]): ProblemError {
  const uses = [...users.map(({ flow, node }) => `"${node}" of "${flow}"`), ...others]
  const shown = uses.length > 3 ? [...uses.slice(0, 3), `${uses.length - 3} more`] : uses
  const detail = `the secret "${name}" is used by ${shown.join(', ')}; change their settings first`
  return new ProblemError('in_use', detail, { used_by: users.map(useOf), others })
}

const useOf = ({ flow, node, draft, published }: SecretUser) => ({ flow, node, draft, published })
