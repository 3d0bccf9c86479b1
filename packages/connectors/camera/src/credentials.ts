/**
 * Signs requests to a camera in: nothing is sent before the camera has asked for it, and then the strongest that it takes.
 * One object a node; `camera-http.ts` asks it.
 * @module
 */
import { randomBytes } from 'node:crypto'

import { type Challenge, challengesOf, digestAnswer, strengthOf } from './digest.ts'

/** With whom a camera is asked. */
export interface SignIn {
  readonly username: string
  readonly password: string
}

/** User name and password, and what the camera has asked of them last. */
export class Credentials {
  readonly #signIn: SignIn
  #challenge: Challenge | null = null
  /** Answers that the challenge has had. */
  #count = 0

  constructor(signIn: SignIn) {
    this.#signIn = signIn
  }

  /** The `Authorization` header of the next request; null until the camera has asked. */
  next(method: string, uri: string): string | null {
    const { username, password } = this.#signIn
    if (this.#challenge === null) return null
    if (this.#challenge.scheme === 'basic')
      return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`
    const request = { username, password, method, uri, count: ++this.#count, cnonce: randomBytes(12).toString('hex') }
    return digestAnswer(this.#challenge, request)
  }

  /**
   * Takes the challenge of a refusal. Throws when none of them can be answered. True: the nonce of what was sent has
   * expired, and nothing is wrong with the password.
   */
  challenged(header: string): boolean {
    const challenges = challengesOf(header)
    const [strongest] = challenges
      .filter((each) => strengthOf(each) > 0)
      .toSorted((one, other) => strengthOf(other) - strengthOf(one))
    this.#challenge = strongest ?? challenges.find(({ scheme }) => scheme === 'basic') ?? null
    this.#count = 0
    if (this.#challenge === null) {
      const asked = challenges.map(({ scheme }) => scheme).join(', ') || 'nothing that is known'
      throw new Error(`asks for a sign-in by ${asked}; turn on Digest or Basic in the camera`)
    }
    return this.#challenge.params.get('stale')?.toLowerCase() === 'true'
  }

  /** Sends nothing until the camera asks again. */
  forget(): void {
    this.#challenge = null
  }
}
