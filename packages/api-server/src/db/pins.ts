/**
 * What engines that share a database must have alike (wire decision S6): the database keeps it as the first engine had
 * it, and an engine that has it otherwise does not start. The embedded database has one engine, and pins nothing.
 *
 * - pins.P1 whatever an engine has otherwise is found while its parts are made, before it pins or acts on anything.
 * - pins.P2 what nobody has pinned is pinned by one transaction: of several first engines one wins, and the others leave
 *   nothing behind.
 * @module
 */
import type { Database } from './backend.ts'
import type { Sql } from './values.ts'

/** What is pinned. */
export type PinName = 'artifacts' | 'session_key' | 'signing_key'

/** What an engine has. */
interface Claim {
  readonly name: PinName
  readonly id: string
  /** Why the engine does not start where another id is pinned. */
  readonly refusal: (pinned: string) => Error
  /**
   * Once it is pinned, before that is committed; the id that holds where another engine was faster. `isNew` tells whether
   * nobody had pinned one.
   */
  readonly keep?: (pinned: string, isNew: boolean) => Promise<string>
  /** Another engine was faster. */
  readonly undo?: () => Promise<void>
}

/** The pins of a database. */
export interface Pins {
  /** Null: nobody has pinned it yet. */
  known(name: PinName): Promise<string | null>
  /** Has it pinned by {@link Pins.settle}, unless it is. Throws the refusal where it is another one. */
  claim(claim: Claim): Promise<void>
  /** Pins what is claimed. Throws the refusal of the first claim that another engine has forestalled; then nothing is. */
  settle(): Promise<void>
  /** The engine does not start: what it has made for claims that were never settled goes. */
  abandon(): Promise<void>
}

/** The pins of a server's database; null on an embedded one. */
export const createPins = (database: Pick<Database, 'backend' | 'sql' | 'transaction'>): Pins | null =>
  database.backend === 'embedded' ? null : openPins(database)

/** The pins of any database: what an engine on an embedded one shares with others is not its database. */
export const openPins = (database: Pick<Database, 'sql' | 'transaction'>): Pins => new KeptPins(database)

class KeptPins implements Pins {
  readonly #database: Pick<Database, 'sql' | 'transaction'>
  readonly #claims: Claim[] = []

  constructor(database: Pick<Database, 'sql' | 'transaction'>) {
    this.#database = database
  }

  async known(name: PinName): Promise<string | null> {
    const [row] = await this.#database.sql<{ id: string }[]>`select id from pin where name = ${name}`
    return row?.id ?? null
  }

  async claim(claim: Claim): Promise<void> {
    const known = await this.known(claim.name)
    if (known === null) this.#claims.push(claim)
    else if (known !== claim.id) throw claim.refusal(known)
  }

  async settle(): Promise<void> {
    const claims = this.#claims.splice(0)
    try {
      await this.#database.transaction(async (tx) => {
        for (const claim of claims) {
          // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
          const { pinned, isNew } = await pin(tx, claim)
          // oxlint-disable-next-line no-await-in-loop -- as above
          const id = (await claim.keep?.(pinned, isNew)) ?? claim.id
          if (id !== pinned) throw claim.refusal(pinned)
        }
      })
    } catch (error) {
      await undoAll(claims)
      throw error
    }
  }

  abandon(): Promise<void> {
    return undoAll(this.#claims.splice(0))
  }
}

async function undoAll(claims: readonly Claim[]): Promise<void> {
  await Promise.all(claims.flatMap(({ undo }) => undo?.() ?? []))
}

/** What is pinned then; another engine that is pinning it is waited for. */
async function pin(tx: Sql, { name, id }: Claim): Promise<{ pinned: string; isNew: boolean }> {
  const [row] = await tx<{ pinned: string; isNew: boolean }[]>`
    insert into pin (name, id) values (${name}, ${id})
    on conflict (name) do update set name = excluded.name returning id as pinned, xmax = 0 as "isNew"`
  return row ?? { pinned: id, isNew: true }
}

/** Has the next engine pin its keys. Throws while an engine is in contact, which still uses those that are pinned. */
export async function forgetPinnedKeys(sql: Sql): Promise<void> {
  const [living] = await sql<{ name: string }[]>`
    with living as (select name from engine where engine_in_contact(id)),
      forgotten as (delete from pin where name in ('session_key', 'signing_key') and not exists (select from living))
    select name from living order by name limit 1`
  if (!living) return
  throw new Error(
    `the engine ${living.name} is in contact with the database: stop all engines first (one that was killed counts as ended when its lease is over, after some seconds)`,
  )
}
