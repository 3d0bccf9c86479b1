/**
 * Who is signed in. The token is kept for this tab alone: another tab signs in by itself, and a closed one is signed out.
 */
import { signal } from '@preact/signals'

export interface Session {
  readonly token: string
}

const KEY = 'flow-service.session'

export const session = signal<Session | null>(stored())
/** Why somebody has to sign in again, for the page on which they do. */
export const farewell = signal<string | null>(null)

export function signIn(next: Session): void {
  sessionStorage.setItem(KEY, JSON.stringify(next))
  farewell.value = null
  session.value = next
}

export function signOut(reason: string | null = null): void {
  sessionStorage.removeItem(KEY)
  farewell.value = reason
  session.value = null
}

function stored(): Session | null {
  try {
    const known: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return known !== null && typeof known === 'object' && 'token' in known ? { token: String(known.token) } : null
  } catch {
    return null
  }
}
