import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

import { describe, expect, test } from 'vitest'

import { createSessions } from '../../src/auth/sessions.ts'
import type { TokenHolder } from '../../src/auth/users.ts'
import { user } from '../http/server.ts'
import { sessionKey } from './service.ts'

const ann: TokenHolder = { principal: { ...user, id: randomUUID() }, tokenVersion: 3 }
const sessions = createSessions({
  key: sessionKey,
  days: 8,
  users: { find: async (id) => holderOf(id) },
})

/** As the database does, which fails at what is no id. */
function holderOf(id: string): TokenHolder | null {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`invalid input syntax for type uuid: "${id}"`)
  return id === ann.principal.id ? ann : null
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
const claims = (changes: object = {}) => ({
  sub: ann.principal.id,
  aud: 'session',
  iat: now(),
  exp: now() + 600,
  version: 3,
  ...changes,
})
const header = (changes: object = {}) => ({ alg: 'HS256', typ: 'session+jwt', ...changes })

/** A token signed with HMAC by `key`, whatever its header says. */
function forge(head: object, body: object, key: Uint8Array | string = sessionKey, hash = 'sha256'): string {
  const text = `${encode(head)}.${encode(body)}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

describe('a session token', () => {
  test('is a JWT that says who, since when, until when and for what [R623]', async () => {
    const { access_token, expires_in } = await sessions.issue(ann)
    const [head = '', body = ''] = access_token.split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, number>
    expect(read(head)).toEqual({ alg: 'HS256', typ: 'session+jwt' })
    const { iat, exp, ...rest } = read(body)
    expect(rest).toEqual({ sub: ann.principal.id, aud: 'session', version: 3 })
    expect([Number(exp) - Number(iat), expires_in]).toEqual([691_200, 691_200])
    const grant = { ...ann.principal.grant, version: 3, endsAtMs: Number(exp) * 1000 }
    expect(await sessions.verify(access_token)).toEqual({ ...ann.principal, grant })
  })

  test('made by hand with the right key passes, so that the forgeries below fail for their own reason', async () => {
    expect(await sessions.verify(forge(header(), claims()))).toMatchObject({ email: ann.principal.email })
    expect(await sessions.verify(forge(header(), claims({ exp: now() - 4 })))).toMatchObject({ id: ann.principal.id })
  })

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const signedByRsa = () => {
    const text = `${encode(header({ alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) }))}.${encode(claims())}`
    return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`
  }
  const unsigned = (alg: string) => `${encode(header({ alg }))}.${encode(claims())}.`

  test.each<[string, () => string]>([
    ['is not signed', () => unsigned('none')],
    ['is not signed, in other letters', () => unsigned('nOnE')],
    ['keeps the algorithm but not the signature', () => unsigned('HS256')],
    ['is signed by another key', () => forge(header(), claims(), 'x'.repeat(32))],
    ['is signed by an empty key', () => forge(header(), claims(), '')],
    [
      'is signed by another algorithm of the family',
      () => forge(header({ alg: 'HS512' }), claims(), sessionKey, 'sha512'),
    ],
    ['brings its own key', signedByRsa],
    ['takes a public key for the secret', () => forge(header(), claims(), publicPem)],
    ['names a key file', () => forge(header({ kid: '../../../../dev/null' }), claims(), '')],
    ['names a key address', () => forge(header({ jku: 'https://evil.example/jwks' }), claims(), 'x'.repeat(32))],
    ['demands an extension', () => forge(header({ crit: ['exp'] }), claims())],
    ['is of no type', () => forge({ alg: 'HS256' }, claims())],
    ['is of another type', () => forge(header({ typ: 'worker+jwt' }), claims())],
    ['is for another audience', () => forge(header(), claims({ aud: 'worker' }))],
    ['is for an audience that begins alike', () => forge(header(), claims({ aud: 'sessions' }))],
    ['is for no audience', () => forge(header(), claims({ aud: undefined }))],
    ['has no end', () => forge(header(), claims({ exp: undefined }))],
    ['has no beginning', () => forge(header(), claims({ iat: undefined }))],
    ['has no subject', () => forge(header(), claims({ sub: undefined }))],
    ['expired 6 seconds ago', () => forge(header(), claims({ exp: now() - 6 }))],
    ['ends in text', () => forge(header(), claims({ exp: '9999999999' }))],
    ['begins in an hour', () => forge(header(), claims({ iat: now() + 3600, exp: now() + 7200 }))],
    ['is not valid before an hour', () => forge(header(), claims({ nbf: now() + 3600 }))],
    ['is older than a session may be', () => forge(header(), claims({ iat: now() - 691_300 }))],
    ['is of an older version', () => forge(header(), claims({ version: 2 }))],
    ['is of a version in text', () => forge(header(), claims({ version: '3' }))],
    ['has no version', () => forge(header(), claims({ version: undefined }))],
    ['is of somebody unknown', () => forge(header(), claims({ sub: randomUUID() }))],
    ['is of somebody who has no id', () => forge(header(), claims({ sub: 'ann@example.org' }))],
    ['is of an empty id', () => forge(header(), claims({ sub: '' }))],
    ['is of a number', () => forge(header(), claims({ sub: 7 }))],
    ['has a damaged body', () => forge(header(), claims()).replace(/\.(.)/, '.!')],
    ['has two parts', () => forge(header(), claims()).split('.').slice(0, 2).join('.')],
    ['is no token', () => 'undefined'],
  ])('that %s is refused [T8, T9, T10]', async (_title, make) => {
    expect(await sessions.verify(make())).toBeNull()
  })
})
