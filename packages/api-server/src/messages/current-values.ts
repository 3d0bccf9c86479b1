/**
 * Values of messages as their readers find them: the last one, and until there is one the initial value that a live flow
 * declares for its input (wire decisions G15, G17).
 * @module
 */
import type { LastValues } from './last-values.ts'

/** What a message carries now. */
interface CurrentValue {
  readonly message: string
  readonly value: unknown
  /** Null for an initial value: nobody has published it. */
  readonly ts: string | null
}

/** Last values, and initial ones. */
export interface CurrentValues {
  /** Undefined until the message has a value of either kind. */
  get(message: string): CurrentValue | undefined
  all(): CurrentValue[]
}

/** What published flows declare. */
export interface Initials {
  /** Initial values of the inputs of live flows, by qualified message. */
  initials(): ReadonlyMap<string, unknown>
}

/** Values of messages, read each time that somebody asks. */
export function createCurrentValues(lastValues: Pick<LastValues, 'all' | 'get'>, catalogue: Initials): CurrentValues {
  const initialOf = (message: string): CurrentValue | undefined => {
    const initials = catalogue.initials()
    return initials.has(message) ? { message, value: initials.get(message), ts: null } : undefined
  }
  return {
    get: (message) => lastValues.get(message) ?? initialOf(message),
    all: () => [
      ...lastValues.all(),
      ...[...catalogue.initials()]
        .filter(([message]) => lastValues.get(message) === undefined)
        .map(([message, value]) => ({ message, value, ts: null })),
    ],
  }
}
