/** What operations on flows answer when one follows the other, and whether answers that overlapped fit some order. */

/** A request to change or read a flow. */
export type Operation =
  | { readonly do: 'get' | 'discard' | 'delete' | 'start' | 'stop'; readonly name: string }
  | { readonly do: 'save'; readonly name: string; readonly version: number; readonly title: string }
  | { readonly do: 'publish'; readonly name: string; readonly version: number }
  | { readonly do: 'rename' | 'duplicate'; readonly name: string; readonly to: string }

/** What of an answer the model foretells. */
export interface Outcome {
  readonly status: number
  readonly code?: string
  readonly current_version?: number
  readonly flow?: Shown
}

export interface Shown {
  readonly version: number
  readonly title: string
  readonly published_version: number | null
  readonly has_draft: boolean
}

/** A request with its answer; `from` and `to` are places on one clock. */
export interface Event {
  readonly client: number
  readonly operation: Operation
  readonly outcome: Outcome
  readonly from: number
  readonly to: number
}

export interface Stored {
  readonly version: number
  readonly draft: string | null
  readonly published: string | null
  readonly publishedVersion: number | null
}
/** Flows by name. */
export type State = Readonly<Record<string, Stored>>
type Step = readonly [Outcome, State]

const refused = (status: number, code: string): Outcome => ({ status, code })
/** What an answer shows of a flow. */
export const shown = ({ version, draft, published, publishedVersion }: Stored): Shown => ({
  version,
  title: draft ?? published ?? '',
  published_version: publishedVersion,
  has_draft: draft !== null,
})

/** The answer to a request, and what is there afterwards. */
export function step(state: State, operation: Operation): Step {
  const { name } = operation
  const flow = state[name]
  if (operation.do === 'save') return save(state, flow, operation)
  if (!flow) return [refused(404, 'not_found'), state]
  const answer = (next: Stored): Step => [
    { status: 200, flow: shown(next) },
    { ...state, [name]: next },
  ]
  switch (operation.do) {
    case 'get':
      return answer(flow)
    case 'publish':
      if (operation.version !== flow.version) return [conflict(flow), state]
      if (flow.draft === null) return answer(flow)
      return answer({ ...flow, draft: null, published: flow.draft, publishedVersion: flow.version })
    case 'discard':
      if (flow.published === null) return [refused(409, 'not_published'), state]
      return answer(flow.draft === null ? flow : { ...flow, draft: null, version: flow.version + 1 })
    case 'start':
      return flow.published === null ? [refused(409, 'not_published'), state] : [{ status: 200 }, state]
    case 'stop':
      return [{ status: 200 }, state]
    case 'delete':
      return [{ status: 204 }, without(state, name)]
    case 'rename':
    case 'duplicate':
      if (state[operation.to]) return [refused(409, 'already_exists'), state]
      return operation.do === 'rename' ? rename(state, flow, operation) : duplicate(state, flow, operation)
  }
}

function save(state: State, flow: Stored | undefined, operation: Operation & { do: 'save' }): Step {
  const { name, title, version } = operation
  if (flow && version !== flow.version) return [conflict(flow), state]
  if (!flow && version !== 0) return [refused(404, 'not_found'), state]
  const none: Stored = { version: 0, draft: null, published: null, publishedVersion: null }
  const next = { ...(flow ?? none), version: version + 1, draft: title }
  return [
    { status: flow ? 200 : 201, flow: shown(next) },
    { ...state, [name]: next },
  ]
}

function rename(state: State, flow: Stored, { name, to }: { name: string; to: string }): Step {
  const version = flow.version + 1
  const next = { ...flow, version, publishedVersion: flow.draft === null ? version : flow.publishedVersion }
  return [
    { status: 200, flow: shown(next) },
    { ...without(state, name), [to]: next },
  ]
}

function duplicate(state: State, flow: Stored, { to }: { to: string }): Step {
  const next = { version: 1, draft: flow.draft ?? flow.published, published: null, publishedVersion: null }
  return [
    { status: 201, flow: shown(next) },
    { ...state, [to]: next },
  ]
}

const conflict = ({ version }: Stored): Outcome => ({ status: 409, code: 'version_conflict', current_version: version })

function without(state: State, name: string): State {
  const { [name]: _gone, ...rest } = state
  return rest
}

/** Keys in one order, so that equal states have equal texts. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )

/**
 * Whether the answers are those of some sequence of the requests in which none stands after one that began when it had
 * ended: linearizability, decided by search (Wing and Gong, 1993), beginning without flows.
 */
export function isLinearizable(events: readonly Event[]): boolean {
  const dead = new Set<string>()
  const search = (left: readonly Event[], state: State): boolean => {
    if (left.length === 0) return true
    const key = `${left.map(({ from }) => from).join()} ${textOf(state)}`
    if (dead.has(key)) return false
    const firstEnd = Math.min(...left.map(({ to }) => to))
    for (const event of left) {
      if (event.from > firstEnd) continue
      const [outcome, next] = step(state, event.operation)
      if (
        textOf(outcome) === textOf(event.outcome) &&
        search(
          left.filter((other) => other !== event),
          next,
        )
      )
        return true
    }
    dead.add(key)
    return false
  }
  return search(events, {})
}
