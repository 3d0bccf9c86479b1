/**
 * Digest access authentication (RFC 7616), as most cameras ask for it: answers to a challenge, without the password.
 * `credentials.ts` says when one is sent.
 * @module
 */
import { createHash } from 'node:crypto'

/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** In lower case: `digest`, `basic`. */
  readonly scheme: string
  /** By names in lower case. */
  readonly params: ReadonlyMap<string, string>
}

/** What is answered, and by whom. */
export interface DigestRequest {
  readonly username: string
  readonly password: string
  readonly method: string
  /** Path and query, as they stand in the request. */
  readonly uri: string
  /** How many answers this nonce has had, this one too. */
  readonly count: number
  /** The client's own nonce. */
  readonly cnonce: string
}

/** Hashes by the name of the algorithm, the strongest last. */
const hashes: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' }
const algorithms = Object.keys(hashes)

/** A parameter, or the name of a scheme. */
const part = /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,"]*)|([\w-]+)(?=[\s,]|$))/y

/** The challenges of a header; of what is none, as many as can be read. */
export function challengesOf(header: string): Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = []
  part.lastIndex = 0
  for (let found = part.exec(header); found !== null; found = part.exec(header)) {
    const [, name, value = '', scheme] = found
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), params: new Map() })
    else challenges.at(-1)?.params.set(name?.toLowerCase() ?? '', unquoted(value))
  }
  return challenges
}

/** How strong the answer to a challenge is; 0 for one that cannot be answered. */
export function strengthOf(challenge: Challenge): number {
  const { hash } = algorithmOf(challenge)
  const qop = challenge.params.get('qop')
  const isKnown = challenge.scheme === 'digest' && hash !== undefined && (qop === undefined || hasAuth(qop))
  return isKnown && challenge.params.has('nonce') ? 1 + algorithms.indexOf(algorithmOf(challenge).name) : 0
}

/** The `Authorization` header for a challenge whose {@link strengthOf} is above 0. */
export function digestAnswer(challenge: Challenge, request: DigestRequest): string {
  const { params } = challenge
  const { method, uri, cnonce } = request
  const { hash = 'md5', isSession } = algorithmOf(challenge)
  const [realm, nonce] = [params.get('realm') ?? '', params.get('nonce') ?? '']
  const h = (text: string): string => createHash(hash).update(text, 'latin1').digest('hex')
  // in a header characters are bytes
  const [username, password] = [bytesOf(request.username), bytesOf(request.password)]
  const secret = h(`${username}:${realm}:${password}`)
  const a1 = isSession ? h(`${secret}:${nonce}:${cnonce}`) : secret
  const a2 = h(`${method}:${uri}`)
  const count = request.count.toString(16).padStart(8, '0')
  const hasQop = params.has('qop')
  const response = h(hasQop ? `${a1}:${nonce}:${count}:${cnonce}:auth:${a2}` : `${a1}:${nonce}:${a2}`)
  const isHashed = params.get('userhash')?.toLowerCase() === 'true'
  const isPlain = isHashed || username === request.username
  const fields = [
    isPlain
      ? `username=${quoted(isHashed ? h(`${username}:${realm}`) : username)}`
      : `username*=UTF-8''${encodeURIComponent(request.username).replaceAll(/['()*]/g, escaped)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    ...(params.has('algorithm') ? [`algorithm=${params.get('algorithm')}`] : []),
    ...(hasQop ? ['qop=auth', `nc=${count}`] : []),
    ...(hasQop || isSession ? [`cnonce=${quoted(cnonce)}`] : []),
    `response="${response}"`,
    ...(params.has('opaque') ? [`opaque=${quoted(params.get('opaque') ?? '')}`] : []),
    ...(isHashed ? ['userhash=true'] : []),
  ]
  return `Digest ${fields.join(', ')}`
}

function algorithmOf({ params }: Challenge): { name: string; hash: string | undefined; isSession: boolean } {
  const given = (params.get('algorithm') ?? 'MD5').toUpperCase()
  const name = given.replace(/-SESS$/, '')
  return { name, hash: Object.hasOwn(hashes, name) ? hashes[name] : undefined, isSession: name !== given }
}

const hasAuth = (qop: string): boolean => qop.split(',').some((one) => one.trim().toLowerCase() === 'auth')

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
