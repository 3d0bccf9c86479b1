/**
 * Errors that engine and package throw at each other. Each may have a copy of this package of its own, and then a class of
 * its own: the name is what both know.
 * @module
 */

/** What `instanceof` tells of a class of errors: those of other copies count, subclasses are told as everywhere. */
export function isSame(Class: object, itself: object, name: string, value: unknown): boolean {
  if (Class === itself && value instanceof Error && value.name === name) return true
  return Function.prototype[Symbol.hasInstance].call(Class, value)
}
