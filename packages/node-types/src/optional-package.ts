/**
 * Packages that an engine may have or not (wire decision G81): types that need one say so, and their nodes start without it.
 * @module
 */
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** The name of such a package when it is not installed, else null. */
export function missingPackage(name: string): string | null {
  try {
    resolve(name)
    return null
  } catch {
    return name
  }
}

/** What a node that is down for the want of a package says. */
export const notInstalled = (name: string): string =>
  `the package "${name}" is not installed; install it, then start the flow again`
