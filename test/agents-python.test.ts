/** Agents by the package `mcp` of PyPI, which has nothing in common with the library that the tools are served by. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { pythonWith } from './components/python-packages.ts'
import { scaleFlow } from './documents.ts'
import { mcpCommand, type ToolReply, tokenFor } from './mcp-agent.ts'
import { startService, type TestService } from './service.ts'

const python = pythonWith('mcp.client.streamable_http')
const script = join(import.meta.dirname, 'components', 'mcp-client.py')

/** What an agent is shown and told. */
interface Told {
  readonly tools: string[]
  readonly replies: ToolReply[]
}

describe.skipIf(python === null)('an agent written in Python', () => {
  let at: TestService
  beforeAll(async () => {
    at = await startService({ mcp: true })
  })
  afterAll(() => at[Symbol.asyncDispose]())

  /** Rejects when an answer does not fit the schema that its tool is shown with. */
  const told = async (asked: object): Promise<Told> => {
    const { stdout } = await promisify(execFile)(python ?? '', [script, JSON.stringify(asked)])
    return JSON.parse(stdout) as Told
  }

  const overHttp = (token: string) => ({ url: `${at.baseUrl}/mcp`, token })
  const byCommand = (token: string) => ({
    command: process.execPath,
    args: mcpCommand,
    env: { PATH: process.env['PATH'] ?? '', SERVICE_URL: at.origin, SERVICE_TOKEN: token },
  })

  // the protocol of 2025 begins with a handshake, that of 2026 has none
  test.each([
    ['over HTTP', 'legacy', overHttp],
    ['over HTTP', 'auto', overHttp],
    ['by the command', 'legacy', byCommand],
    ['by the command', 'auto', byCommand],
  ])(
    '%s, in the mode %s, reads and writes flows by answers that fit their schemas, and publishes none [T91]',
    async (way, mode, place) => {
      const name = `${way} ${mode}`.replaceAll(' ', '_').toLowerCase()
      const token = await tokenFor(at, ['flows:read', 'flows:write'])
      const { tools, replies } = await told({
        ...place(token),
        mode,
        calls: [
          ['save_draft', { name, version: 0, document: scaleFlow }],
          ['list_flows', {}],
          ['get_flow', { name }],
          ['validate', { name }],
          ['find_node_types', { query: 'scale' }],
          ['publish_flow', { name, version: 1 }],
        ],
      })
      expect(tools).toEqual(['find_node_types', 'get_flow', 'list_flows', 'save_draft', 'validate'])
      expect(replies.map(({ isError }) => isError)).toEqual([false, false, false, false, false, true])
      const [saved, listed, ...rest] = replies.map(({ value }) => value)
      expect(saved).toMatchObject({ version: 1, errors: 0 })
      expect(listed).toMatchObject({ flows: expect.arrayContaining([expect.objectContaining({ name })]) as unknown })
      expect(rest.at(-1)).toMatchObject({ code: 'forbidden', required_scope: 'flows:publish' })
      expect((await at.client.http.flows.get({ name })).published_version).toBeNull()
    },
  )
})
