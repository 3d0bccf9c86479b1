/**
 * The grammar of names without a schema library: what definitions check is part of every bundle (wire decision G03).
 * @module
 */

/** How a kind of name is written. */
export interface NameRule {
  readonly pattern: RegExp
  /** What to write instead, in words. */
  readonly remedy: string
}

/** Flows, nodes, devices, flavors and library sources: no dot, because a dot joins a flow and a message. */
export const nameRule: NameRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  remedy: 'use 1 to 100 letters, digits, "_" or "-", beginning with a letter or digit',
}

/** Messages without their flow: identifiers of up to 100 characters. */
export const messageNameRule: NameRule = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
  remedy: 'use an identifier: letters, digits and "_", not beginning with a digit, at most 100 characters',
}

/** Curves of tracked runs: messages, and names with "/" and "-" as training scripts use them. */
export const curveNameRule: NameRule = {
  pattern: /^[A-Za-z_][A-Za-z0-9_/-]{0,99}$/,
  remedy: 'use letters, digits, "_", "/" and "-", beginning with a letter or "_", at most 100 characters',
}
