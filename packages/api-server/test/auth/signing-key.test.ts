import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { loadSigningKey as load } from '../../src/auth/signing-key.ts'
import { ConfigError } from '../../src/process/setting.ts'

const loadSigningKey = (config: Parameters<typeof load>[0]) => load(config, null)

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'signing-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const pem = (): string => String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
const spelled = (key: Awaited<ReturnType<typeof loadSigningKey>>): unknown =>
  key.publicKey.export({ format: 'jwk' })['x']

test('is made at the first start, for the user of the engine alone, and found at the next [T14]', async () => {
  const made = await loadSigningKey({ dataDir, oauthSigningKey: null })
  const path = join(dataDir, 'oauth_signing_key.pem')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).toContain('BEGIN PRIVATE KEY')
  expect(spelled(await loadSigningKey({ dataDir, oauthSigningKey: null }))).toBe(spelled(made))
})

test('is that of the environment, whose line breaks may be written out', async () => {
  const given = pem()
  const key = await loadSigningKey({ dataDir, oauthSigningKey: given })
  const inOneLine = await loadSigningKey({ dataDir, oauthSigningKey: given.replaceAll('\n', String.raw`\n`) })
  expect(spelled(inOneLine)).toBe(spelled(key))
  await expect(stat(join(dataDir, 'oauth_signing_key.pem'))).rejects.toThrow('ENOENT')
})

test.each([
  ['no key', 'nonsense'],
  [
    'an RSA key',
    String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
  ],
])('%s is refused with what to do, and not shown', async (_, text) => {
  const refusal = await loadSigningKey({ dataDir, oauthSigningKey: text }).then(
    () => null,
    (error: Error) => error,
  )
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(refusal?.message).toContain('SERVICE_OAUTH_SIGNING_KEY is no Ed25519 key: make one by "openssl genpkey')
  expect(refusal?.message).not.toContain(text)
  await writeFile(join(dataDir, 'oauth_signing_key.pem'), text)
  await expect(loadSigningKey({ dataDir, oauthSigningKey: null })).rejects.toThrow(
    'oauth_signing_key.pem is no Ed25519',
  )
})
