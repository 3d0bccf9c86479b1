/**
 * Packages that an engine may have or not (wire decision G81).
 * @module
 */
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** The name of the package when it is not installed, else null. */
export function missingPackage(name: string): string | null {
  try {
    resolve(name)
    return null
  } catch {
    return name
  }
}
