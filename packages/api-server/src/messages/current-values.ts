/**
 * Values of messages as their readers find them: the last one, and until there is one the initial value that a live flow
 * declares for its input (wire decisions G15, G17).
 * @module
 */
import { accepts, type Dtype } from '@flow-service/protocol'

import type { LastValue, LastValues } from './last-values.ts'

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
  /** Dtype of a declared message by its qualified name; undefined when no published flow declares it. */
  dtypeOf(message: string): Dtype | undefined
}

/**
 * Values of messages, read each time that somebody asks. A last value that its message does not take any more, because
 * the dtype was changed, is none: the database keeps it, as history does.
 */
export function createCurrentValues(lastValues: Pick<LastValues, 'all' | 'get'>, catalogue: Initials): CurrentValues {
  const initialOf = (message: string): CurrentValue | undefined => {
    const initials = catalogue.initials()
    return initials.has(message) ? { message, value: initials.get(message), ts: null } : undefined
  }
  const counts = ({ message, value }: LastValue): boolean => accepts(catalogue.dtypeOf(message) ?? 'any', value)
  const lastOf = (message: string): LastValue | undefined => {
    const last = lastValues.get(message)
    return last && counts(last) ? last : undefined
  }
  return {
    get: (message) => lastOf(message) ?? initialOf(message),
    all: () => [
      ...lastValues.all().filter(counts),
      ...[...catalogue.initials()]
        .filter(([message]) => lastOf(message) === undefined)
        .map(([message, value]) => ({ message, value, ts: null })),
    ],
  }
}
