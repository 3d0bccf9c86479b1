import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Authority } from '../../../../test/components/certificates.ts'
import { loadTrust, trustFault } from '../../src/egress/trust.ts'
import { ConfigError } from '../../src/process/setting.ts'

test('a file of authorities that is not there, or holds no sound certificate, is a fault of the configuration', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trust-'))
  const path = join(directory, 'ca.pem')
  const { cert } = new Authority('a')
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  await expect(loadTrust(path)).rejects.toThrow(`SERVICE_CA_FILE is "${path}", which cannot be read (ENOENT`)
  for (const content of ['', 'a key', broken, cert + broken]) {
    // oxlint-disable-next-line no-await-in-loop -- it is one file
    await writeFile(path, content)
    await expect(loadTrust(path)).rejects.toThrow(
      new ConfigError(`SERVICE_CA_FILE is "${path}": use a file of certificates in PEM, which that is not`),
    )
  }
  await writeFile(path, cert + cert)
  const trust = await loadTrust(path)
  expect(trust()).toBe(trust())
  expect((await loadTrust(null))()).toBeUndefined()
  await rm(directory, { recursive: true })
})

test('an error of the network is left as it is', () => {
  expect(trustFault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'host:1')).toBeNull()
  expect(trustFault(new Error('no code'), 'host:1')).toBeNull()
})
