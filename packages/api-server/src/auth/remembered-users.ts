/**
 * Users while the database does not answer: whoever was found before is still known, with the rights of an ordinary
 * user, so that the state of a broken engine can be asked for.
 * @module
 */
import type { UserPrincipal } from '../http/principal.ts'

/** As long as a caller waits for the database, in milliseconds. */
const PATIENCE_MS = 2_000
const MAX_REMEMBERED = 10_000

/** Finds who holds a session or a key. */
interface Finder<H> {
  find(id: string): Promise<H | null>
}

/** Two ways to the same users: `users` finds and remembers them, `known` also tells those that cannot be found now. */
export function rememberUsers<H extends { readonly principal: UserPrincipal }>(
  users: Finder<H>,
): { readonly users: Finder<H>; readonly known: Finder<H> } {
  const remembered = new Map<string, H>()
  const find = async (id: string): Promise<H | null> => {
    const found = await users.find(id)
    remembered.delete(id)
    if (found) remembered.set(id, found)
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    return found
  }
  const recall = async (id: string): Promise<H | null> => {
    const holder = remembered.get(id)
    if (!holder) return find(id)
    const plain = { ...holder, principal: { ...holder.principal, superuser: false } }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<H>((resolve) => {
      timer = setTimeout(() => resolve(plain), PATIENCE_MS)
    })
    try {
      return await Promise.race([find(id).catch(() => plain), late])
    } finally {
      clearTimeout(timer)
    }
  }
  return { users: { find }, known: { find: recall } }
}
