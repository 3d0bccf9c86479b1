/**
 * Why a link is closed: what the other engine has sent, or is, cannot be used. Whoever reads a frame throws it; the wire that
 * the frame came over catches it, and closes with its code. No other link hears of it (links.L4).
 * @module
 */

/** Codes of RFC 6455, section 7.4; those from 4000 on are ours. */
export const closeCodes = {
  malformed: 1002,
  policy: 1008,
  tooLarge: 1009,
  failed: 1011,
  otherProtocol: 4001,
  otherLink: 4009,
} as const

/** A code to close a link with. */
type CloseCode = (typeof closeCodes)[keyof typeof closeCodes]

/** A link cannot go on; the text follows a colon. */
export class LinkFault extends Error {
  readonly closeCode: CloseCode

  constructor(closeCode: CloseCode, detail: string) {
    super(detail)
    this.name = 'LinkFault'
    this.closeCode = closeCode
  }
}

/** A frame that no engine sends. */
export const malformed = (detail: string): LinkFault => new LinkFault(closeCodes.malformed, detail)
