/**
 * Entity tags (RFC 9110, section 8.8.3): who answers `If-None-Match` asks here. Compressed answers have weak tags, so that what a
 * client sends back may be the weak form of what a handler has.
 * @module
 */

/** Whether a client that sends this `If-None-Match` has what a strong tag stands for. */
export const knowsTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((tag) => strongOf(tag.trim()) === etag))

const strongOf = (etag: string): string => etag.replace(/^W\//, '')

/** The tag of another representation of the same content, such as a compressed one. */
export const weakOf = (etag: string): string => `W/${strongOf(etag)}`
