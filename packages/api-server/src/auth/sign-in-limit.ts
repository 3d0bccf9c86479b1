/**
 * Failed sign-ins by address and by account: the only brake on guessing passwords that locks no account. Nobody who is
 * signed in is asked here, and where an account has signed in before, it is not slowed by failures elsewhere.
 * @module
 */
import { networkOf } from '../http/address.ts'
import { Attempts } from '../http/attempts.ts'
import { ProblemError } from '../http/errors.ts'

const ADDRESS_LIMIT = 10
/** Twice that of an address: one that is refused by itself slows no other. */
const ACCOUNT_LIMIT = 20
/** Between two attempts on an account that is slowed. */
const ACCOUNT_PACE_MS = 3_000
const WINDOW_MS = 60_000
/** Places where accounts have signed in that are remembered; beyond, the oldest are forgotten. */
const MAX_HOMES = 10_000

export interface SignInLimit {
  /**
   * Counts an attempt and returns what takes it back after a success. An attempt counts from its start, so that
   * parallel guesses do not slip through. Refuses with `rate_limited` the 11th failure of a minute from an address, and
   * on an account, from wherever, beyond the 20th of a minute all but one each 3 seconds. `account` is a name that
   * somebody claims.
   */
  begin(address: string, account: string): () => void
}

/** A limit without history; `now` is a clock in milliseconds. */
export function createSignInLimit(now: () => number = Date.now): SignInLimit {
  const ofAddresses = new Attempts(WINDOW_MS)
  const ofAccounts = new Attempts(WINDOW_MS)
  /** Where accounts have signed in. */
  const homes = new Set<string>()
  return {
    begin(address, account) {
      const at = now()
      const network = networkOf(address)
      const home = `${network} ${account}`
      const fromHere = ofAddresses.recent(network, at)
      const [oldest] = fromHere
      if (oldest !== undefined && fromHere.length >= ADDRESS_LIMIT)
        throw tooMany('from this address', oldest + WINDOW_MS - at)
      const undo = [() => ofAddresses.takeBack(network, at)]
      if (!homes.has(home)) {
        const onAccount = ofAccounts.recent(account, at)
        const waitMs = (onAccount.at(-1) ?? 0) + ACCOUNT_PACE_MS - at
        if (onAccount.length >= ACCOUNT_LIMIT && waitMs > 0) throw tooMany('with this user name', waitMs)
        ofAccounts.add(account, at)
        undo.push(() => ofAccounts.takeBack(account, at))
      }
      ofAddresses.add(network, at)
      return () => {
        for (const each of undo) each()
        // added anew, so that the set is ordered by the last success
        homes.delete(home)
        homes.add(home)
        const [stalest] = homes
        if (homes.size > MAX_HOMES && stalest !== undefined) homes.delete(stalest)
      }
    },
  }
}

function tooMany(where: string, waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ProblemError('rate_limited', `too many failed sign-ins ${where}: wait ${seconds} s`, {
    retry_after_s: seconds,
  })
}
