/** The package for agents where they are not let in, and where nobody has installed it: in a process that tells what it loads. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { nodeArguments } from './components/node-arguments.ts'

const program = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({
  resolve(name, context, next) {
    if (!/^(?:@flow-service\\/mcp|oidc-provider|@modelcontextprotocol\\/.*)$/.test(name)) return next(name, context)
    loaded.push(name)
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
const { createService } = await import('@flow-service/api-server')
const settings = { environment: 'local', logLevel: 'silent', dataDir: process.argv[1] }
await (await createService(settings)).close()
const off = [...loaded]
const missing = await createService({ ...settings, mcp: true }).catch(({ name, message }) => name + ': ' + message)
console.log(JSON.stringify({ off, missing }))
`

test('nothing of it is loaded while it is off; switched on and not installed, it is told how to install it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'package-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const args = [...nodeArguments, '--eval', program, dataDir]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  expect(JSON.parse(stdout)).toEqual({
    off: [],
    missing:
      'ConfigError: SERVICE_MCP is true, and the package @flow-service/mcp is not installed: npm install @flow-service/mcp',
  })
})
