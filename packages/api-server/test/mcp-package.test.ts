import { expect, test } from 'vitest'

import { loadMcp } from '../src/mcp-package.ts'
import { ConfigError } from '../src/process/setting.ts'

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from here`), { code: 'ERR_MODULE_NOT_FOUND' })

test('without the package for agents a start says how to install it', async () => {
  const loading = loadMcp(() => Promise.reject(missing('@flow-service/mcp')))
  await expect(loading).rejects.toThrow(ConfigError)
  await expect(loading).rejects.toThrow('npm install @flow-service/mcp')
})

test('what fails in the package is told as it is', async () => {
  const fault = missing('something-else')
  await expect(loadMcp(() => Promise.reject(fault))).rejects.toBe(fault)
})

test('the package that is installed is loaded', async () => {
  expect(await loadMcp()).toMatchObject({ createAuthorizationServer: expect.any(Function) })
})
