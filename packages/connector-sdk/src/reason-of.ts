/**
 * What has failed, in words for people: health and logs of connectors.
 * @module
 */

/** What `fetch` says of every request and every body that fails; the cause says why. */
const saysNothing: ReadonlySet<string> = new Set(['fetch failed', 'terminated'])

/** The text of an error; of `fetch`, which itself only says that it has failed, that of the cause. */
export function reasonOf(error: unknown): string {
  let at = error
  if (at instanceof TypeError && saysNothing.has(at.message) && at.cause !== undefined) at = at.cause
  // of several attempts to connect, the first tells as much as all
  if (at instanceof AggregateError && at.message === '') at = at.errors[0]
  if (!(at instanceof Error)) return String(at)
  return at.message || at.name
}
