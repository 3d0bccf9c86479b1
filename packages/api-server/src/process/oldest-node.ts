/**
 * Whether this Node is new enough: `createService` asks before all else, because what a Node lacks has no name that explains
 * it. npm warns at the installation only.
 * @module
 */

/** Throws an Error of one sentence where a Node is older than those of a range such as `>=22.19`. */
export function assertNode(range: string, version: string = process.versions.node): void {
  const oldest = range.slice('>='.length)
  if (version.localeCompare(oldest, 'en', { numeric: true }) >= 0) return
  throw new Error(`flow-service needs Node ${oldest} or newer, and this is Node ${version}`)
}
