/**
 * What has failed, in words for people: health and logs of connectors.
 * @module
 */

/** Causes that are followed; they could go round. */
const MOST_CAUSES = 5

/** The text of an error, or that of its innermost cause: `fetch` itself only says that it has failed. */
export function reasonOf(error: unknown): string {
  let at = error
  for (let followed = 0; followed < MOST_CAUSES && at instanceof Error && at.cause instanceof Error; followed++)
    at = at.cause
  // of several attempts to connect, the first tells as much as all
  if (at instanceof AggregateError && at.message === '') at = at.errors[0]
  if (!(at instanceof Error)) return String(at)
  return at.message || at.name
}
