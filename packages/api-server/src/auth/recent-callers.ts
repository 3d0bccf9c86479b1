/**
 * Who the tokens of the last second were of. Every request is checked by its token, and most of that is the same look into
 * the database over and over: within a second it is made once.
 *
 * - recent-callers.R1 what is found is good for less than a second from the beginning of the look: whatever was changed,
 *   even where no news of it came through, is in force after that.
 * - recent-callers.R2 `forget`, which the news of accounts and keys call, lets nothing found before it answer a request that
 *   comes after it, also not a look that is still under way.
 * - recent-callers.R3 a refusal is not kept, nor is more than so many tokens.
 * @module
 */
import { firstOf, type TokenVerifier } from '../http/authenticate.ts'

/** How long what was found is good for, in milliseconds from the beginning of the look (recent-callers.R1). */
const GOOD_MS = 1_000
/** Tokens that are known at a time; the one known for longest goes first. */
const MAX_KNOWN = 10_000

/** Checks tokens, and remembers for a moment what was found. */
export interface RecentCallers {
  readonly verify: TokenVerifier
  /** To be called when an account, or a key or token of one, has changed. */
  forget(): void
}

interface Look {
  readonly beganMs: number
  readonly found: ReturnType<TokenVerifier>
  /** When what was found ends by itself, in milliseconds since the Unix epoch. */
  endsAtMs: number
}

/** Callers as the first verifier that knows their token tells them; `now` is a clock in milliseconds. */
export function createRecentCallers(
  verifiers: readonly TokenVerifier[],
  now: () => number = () => performance.now(),
): RecentCallers {
  const find = firstOf(verifiers)
  const looks = new Map<string, Look>()
  const isGood = ({ beganMs, endsAtMs }: Look): boolean => now() - beganMs < GOOD_MS && Date.now() < endsAtMs

  const begin = (token: string): Look => {
    const look: Look = { beganMs: now(), found: find(token), endsAtMs: Infinity }
    const drop = (): void => {
      if (looks.get(token) === look) looks.delete(token)
    }
    look.found.then((principal) => {
      if (principal === null) drop()
      else if (principal.kind === 'user') look.endsAtMs = principal.grant.endsAtMs ?? Infinity
    }, drop)
    // behind all others, whether or not the token was known
    looks.delete(token)
    looks.set(token, look)
    const [oldest] = looks.keys()
    if (looks.size > MAX_KNOWN && oldest !== undefined) looks.delete(oldest)
    return look
  }

  return {
    verify(token) {
      const known = looks.get(token)
      return (known && isGood(known) ? known : begin(token)).found
    },
    forget() {
      looks.clear()
    },
  }
}
