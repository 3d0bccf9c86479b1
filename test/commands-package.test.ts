/** Models of commands where nobody has installed the package: in a process without it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { nodeArguments } from './components/node-arguments.ts'

const program = `
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    if (!name.startsWith('@flow-service/commands-lm')) return next(name, context)
    throw Object.assign(new Error("Cannot find package '@flow-service/commands-lm'"), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
const { createService } = await import('@flow-service/api-server')
const settings = {
  environment: 'local',
  logLevel: 'silent',
  dataDir: process.argv[1],
  commandsUrl: 'http://127.0.0.1:9/v1',
  commandsModelName: 'small',
}
const missing = await createService(settings).catch(({ name, message }) => name + ': ' + message)
const lacks = async (options) => {
  const service = await createService({ ...settings, ...options, port: 0 })
  const { baseUrl } = await service.listen()
  const headers = { authorization: 'Bearer ' + (await service.superuserToken()) }
  const types = await (await fetch(baseUrl + '/flows/node-types', { headers })).json()
  await service.close()
  return types.find(({ type }) => type === 'commands_lm').missing
}
const own = await lacks({ commandsModel: { interpret: () => [] } })
const none = await lacks({ commandsUrl: null, commandsModelName: null })
console.log(JSON.stringify({ missing, own, none }))
`

test('without the package a model of the settings stops the start, one of the host needs none, and nodes without a model tell of it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'package-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const args = [...nodeArguments, '--eval', program, dataDir]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  expect(JSON.parse(stdout)).toEqual({
    missing:
      'ConfigError: SERVICE_COMMANDS_URL is set, and the package @flow-service/commands-lm is not installed: npm install @flow-service/commands-lm',
    own: null,
    none: '@flow-service/commands-lm',
  })
})
