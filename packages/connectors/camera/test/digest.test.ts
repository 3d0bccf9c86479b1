/** Digest answers, against the examples of RFC 7616 (section 3.9) and RFC 2069. */
import { expect, test } from 'vitest'

import { Credentials } from '../src/credentials.ts'
import { challengesOf, digestAnswer, strengthOf } from '../src/digest.ts'

const mufasa = {
  username: 'Mufasa',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  count: 1,
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
}
const challengeOf = (algorithm: string): string =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'

function answer(header: string, request = mufasa): string {
  const [challenge] = challengesOf(header)
  return digestAnswer(challenge!, request)
}

test.each([
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
])('the answer by %s is that of the standard', (algorithm, response) => {
  expect(answer(challengeOf(algorithm))).toBe(
    'Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
      `uri="/dir/index.html", algorithm=${algorithm}, qop=auth, nc=00000001, ` +
      `cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", response="${response}", ` +
      'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
  )
})

test('a name that is hashed, and one that no header can hold, are told as the standard has them', () => {
  const header =
    'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, userhash=true, ' +
    'nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"'
  const request = { ...mufasa, username: 'Jäsøn Doe', password: 'Secret, or not?', uri: '/doe.json' }
  const hashed = answer(header, request)
  expect(hashed).toMatch(/username="[\da-f]{64}", .*userhash=true/)
  expect(hashed).not.toContain('Doe')
  expect(answer(header.replace('userhash=true, ', ''), request)).toContain("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, ")
})

test('without qop the answer is that of older cameras', () => {
  const request = { ...mufasa, password: 'CircleOfLife' }
  const header =
    'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"'
  const given = answer(header, request)
  expect(given).toContain('response="1949323746fe6a43ef61f9606e7febea"')
  expect(given).not.toMatch(/qop|nc=|cnonce|algorithm/)
})

test('a session says its own nonce, and quotes are escaped', () => {
  const request = { ...mufasa, username: 'a"b\\' }
  const given = answer('Digest realm="a \\"b\\" \\\\", nonce="n", algorithm=MD5-sess, qop=auth', request)
  expect(given).toContain(String.raw`username="a\"b\\", realm="a \"b\" \\"`)
  expect(given).toContain('algorithm=MD5-sess')
})

test('headers with several challenges are taken apart, and such as are none do no harm', () => {
  const header = 'Basic realm="x, y", Digest nonce = "n" ,realm="r",qop=auth, NTLM TlRMTVNTUAAB==, Negotiate'
  expect(challengesOf(header).map(({ scheme, params }) => [scheme, params.get('realm')])).toEqual([
    ['basic', 'x, y'],
    ['digest', 'r'],
    ['ntlm', undefined],
    ['negotiate', undefined],
  ])
  for (const odd of ['', ',', '"', 'Digest "', 'realm="x"', 'Digest realm="', `${','.repeat(9000)}x=`])
    expect(challengesOf(odd).filter((each) => strengthOf(each) > 0)).toEqual([])
})

test('the strongest challenge is answered, and Basic when there is no other', () => {
  const at = new Credentials({ username: 'ü', password: 'p' })
  expect(at.next('GET', '/')).toBeNull()
  at.challenged(`Basic realm="r", ${challengeOf('MD5')}, ${challengeOf('SHA-256')}, ${challengeOf('SHA-1')}`)
  expect([at.next('GET', '/'), at.next('GET', '/')]).toEqual([
    expect.stringMatching(/algorithm=SHA-256.*nc=00000001/),
    expect.stringMatching(/algorithm=SHA-256.*nc=00000002/),
  ])
  at.challenged('Digest nonce="n", qop="auth-int", Basic realm="r"')
  expect(at.next('GET', '/')).toBe(`Basic ${Buffer.from('ü:p').toString('base64')}`)
  expect(at.challenged('Digest nonce="n", stale=TRUE')).toBe(true)
  expect(() => at.challenged('Bearer realm="r"')).toThrow('asks for a sign-in by bearer; turn on Digest or Basic')
})
