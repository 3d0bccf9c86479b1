/**
 * Why work is not kept, as far as the engine has to know: whether another one may have it all the same. Whoever takes such
 * work for free does it twice.
 * @module
 */

/** What a host rejects with when it could not keep work. */
export interface UnkeptError extends Error {
  /** Whether it may be kept all the same, or be done by now: it was published, or nobody knows what a commit came to. */
  readonly mayBeKept: boolean
}

/** Whether work that was not kept may be kept all the same, or be done by now. */
export const mayBeKept = (error: unknown): boolean =>
  error instanceof Error && (error as Partial<UnkeptError>).mayBeKept === true
