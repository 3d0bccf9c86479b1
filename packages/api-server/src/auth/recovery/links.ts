/**
 * Links by which people set a password: those of invites and of recoveries. A link works once, for a while, and no longer
 * than the password that was there when it was made. What opens it stands in no table.
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'

import type { Sql } from '../../db/database.ts'
import { ProblemError } from '../../http/errors.ts'
import type { PublicUrl } from '../public-url.ts'
import { createLinkStore, type LinkKind, type LiveLink } from './store.ts'

/** How long links live. */
const LIVES_S: Readonly<Record<LinkKind, number>> = { invite: 86_400, recovery: 3_600 }
/** Links of recovery that an account gets within an hour. */
const MAX_ASKED = 5

/** What links are made of. */
export interface PasswordLinksDeps {
  readonly sql: Sql
  readonly publicUrl: Pick<PublicUrl, 'place'>
}

/** An account as of a version of its tokens. */
interface Opened {
  readonly id: string
  readonly tokenVersion: number
}

/** The links of a database. */
export class PasswordLinks {
  readonly #store: ReturnType<typeof createLinkStore>
  readonly #publicUrl: PasswordLinksDeps['publicUrl']

  constructor({ sql, publicUrl }: PasswordLinksDeps) {
    this.#store = createLinkStore(sql)
    this.#publicUrl = publicUrl
  }

  /** Whether it is known where links lead. */
  get isOpen(): boolean {
    return this.#publicUrl.place !== null
  }

  /** A new link, which is a secret. Refuses with `unavailable` where nobody knows where it leads. */
  async make(tx: Sql, kind: LinkKind, { id, tokenVersion }: Opened): Promise<string> {
    const { place } = this.#publicUrl
    if (place === null)
      throw new ProblemError('unavailable', 'links lead nowhere: the operator sets SERVICE_PUBLIC_URL')
    const token = randomBytes(32).toString('base64url')
    await this.#store.add(tx, { proof: proofOf(token), account: id, kind, tokenVersion, seconds: LIVES_S[kind] })
    // behind "#" it reaches no server and no log on its way
    return `${place}/reset-password#token=${token}`
  }

  /** Whether an account may get one more link of recovery; the caller holds the account. */
  async mayAsk(tx: Sql, id: string): Promise<boolean> {
    return (await this.#store.asked(tx, id)) < MAX_ASKED
  }

  /** What a token opens. Refuses with `invalid_token`. */
  async find(token: string): Promise<LiveLink> {
    const link = await this.#store.find(proofOf(token))
    if (!link) throw deadLink()
    return link
  }

  /** Uses a token for an account that the caller holds. Refuses with `invalid_token` a second time. */
  async use(tx: Sql, token: string, { tokenVersion }: Opened): Promise<void> {
    if (!(await this.#store.use(tx, proofOf(token), tokenVersion))) throw deadLink()
  }
}

const proofOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The same for every link that opens nothing. */
export const deadLink = (): ProblemError =>
  new ProblemError('invalid_token', 'this link was used, is too old, or was never made: ask for a new one')
