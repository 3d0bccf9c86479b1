/**
 * Views of the list of runs that somebody has named: what is chosen, sorted and shown, as it stands in the address. The engine
 * keeps no settings of people, so they are kept in this browser, for each account its own.
 */
import { signal } from '@preact/signals'

export interface View {
  readonly name: string
  /** The query of the page. */
  readonly query: string
}

const keyOf = (user: string): string => `flow-service.runs.views.${user}`

/** Those of the account that looks at them. */
export const views = signal<readonly View[]>([])

/** Reads what is kept for an account. */
export function openViews(user: string): void {
  views.value = viewsIn(localStorage.getItem(keyOf(user)))
}

/** Keeps a view; one of the same name is replaced. */
export function keepView(user: string, view: View): void {
  write(user, [...views.peek().filter(({ name }) => name !== view.name), view])
}

export function dropView(user: string, name: string): void {
  write(
    user,
    views.peek().filter((view) => view.name !== name),
  )
}

function write(user: string, next: readonly View[]): void {
  views.value = next.toSorted((a, b) => a.name.localeCompare(b.name))
  if (next.length === 0) localStorage.removeItem(keyOf(user))
  else localStorage.setItem(keyOf(user), JSON.stringify(views.value))
}

/** What others have written there, as an older console, is passed over. */
export function viewsIn(text: string | null): View[] {
  try {
    const known: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(known) ? known.flatMap((one: unknown) => viewOf(one) ?? []) : []
  } catch {
    return []
  }
}

function viewOf(one: unknown): View | null {
  if (one === null || typeof one !== 'object' || !('name' in one && 'query' in one)) return null
  const { name, query } = one
  return typeof name === 'string' && typeof query === 'string' ? { name, query } : null
}
