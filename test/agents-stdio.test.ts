import { spawn } from 'node:child_process'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Ended, ended } from './cli-process.ts'
import { scaleFlow } from './documents.ts'
import { agentBeside, mcpCommand, tokenFor } from './mcp-agent.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  // the endpoint over HTTP need not be there
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

test('an agent on this machine starts the command, and has the tools of its token', async () => {
  await using agent = await agentBeside(at, ['flows:read', 'flows:write', 'runs:write', 'runs:read'])
  expect(await agent.tools()).toEqual(expect.arrayContaining(['save_draft', 'try_draft']))
  expect((await agent.call('save_draft', { name: 'scaled', version: 0, document: scaleFlow })).value.errors).toBe(0)
  expect((await agent.call('try_draft', { name: 'scaled' })).value).toMatchObject({
    status: 'ok',
    values: [{ name: 'scaled', value: 20 }],
  })
  expect((await agent.call('publish_flow', { name: 'scaled', version: 1 })).value).toMatchObject({ code: 'forbidden' })
})

function run(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [...mcpCommand, ...args], { env: { PATH: process.env['PATH'], ...env } })
  return ended(child, ({ stdin }) => void stdin.end(input))
}

test('a session is not taken for an agent, and what is missing is told in words [R625, T91]', async () => {
  const SERVICE_URL = at.origin
  const cases = [
    [{}, 'SERVICE_URL is not set'],
    [{ SERVICE_URL: 'localhost' }, 'SERVICE_URL is "localhost": use an http or https URL'],
    [{ SERVICE_URL }, 'SERVICE_TOKEN is not set'],
    [{ SERVICE_URL, SERVICE_TOKEN: at.token }, 'SERVICE_TOKEN is no token of an agent'],
    [{ SERVICE_URL, SERVICE_TOKEN: 'fsk_4Jx0aZ9q_x' }, 'SERVICE_TOKEN is no token of an agent'],
  ] as const
  const ends = await Promise.all(cases.map(([env]) => run([], env)))
  expect(ends).toEqual(cases.map(([, words]) => ({ code: 2, out: '', err: expect.stringContaining(words) as string })))
})

test('its help tells how it is used, and arguments are refused', async () => {
  const [help, refused] = await Promise.all([run(['--help'], {}), run(['--port', '1'], {})])
  expect(help).toEqual({ code: 0, err: '', out: expect.stringContaining('SERVICE_TOKEN') })
  expect(refused).toEqual({ code: 2, out: '', err: expect.stringContaining('--help') })
})

test('standard output has the protocol and nothing else, also when the service is not there or says no', async () => {
  const messages = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    },
    'nonsense',
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ]
  const input = messages
    .map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    .join('')
  const token = await tokenFor(at, ['flows:read'])
  const { code, out, err } = await run([], { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: token }, input)
  expect(code).toBe(0)
  for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  expect(err).toContain('error: ')
  expect(err).not.toContain(token)
})
