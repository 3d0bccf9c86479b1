/** An agent that drafts a flow, checks it and tries it, and is refused to publish it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const dataDir = await mkdtemp(join(tmpdir(), 'agent-'))
const service = await createService({ dataDir, port: 0, logLevel: 'warn', environment: 'local', mcp: true })
const agent = new Client({ name: 'example', version: '1.0.0' })
try {
  const { baseUrl } = await service.listen()
  const person = createClient({ baseUrl, token: await service.superuserToken() })
  const { token } = await person.oauth.mintToken({
    client: 'example',
    scopes: ['flows:read', 'flows:write', 'runs:read', 'runs:write'],
    expiresInDays: 1,
  })
  const headers = { authorization: `Bearer ${token}` }
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }))
  const call = async (name: string, input: Record<string, unknown>) => {
    const { structuredContent } = await agent.callTool({ name, arguments: input })
    return structuredContent as Record<string, unknown>
  }

  const { settings } = await call('find_node_types', { type: 'change' })
  assert.ok(JSON.stringify(settings).includes('"scale"'))
  const document = {
    mode: 'batch',
    inputs: [{ name: 'celsius', dtype: 'float', initial: 20 }],
    outputs: [{ name: 'fahrenheit' }],
    nodes: [
      {
        id: 'convert',
        type: 'change',
        settings: { scale: 1.8, offset: 32 },
        ports: [
          { direction: 'input', name: 'celsius', dtype: 'float' },
          { direction: 'output', name: 'fahrenheit', dtype: 'float' },
        ],
      },
    ],
  }
  const { version } = await call('save_draft', { name: 'degrees', version: 0, document })
  assert.deepEqual(await call('validate', { name: 'degrees' }), { valid: true, errors: 0, issues: [], next: null })
  const tried = await call('try_draft', { name: 'degrees', inputs: { celsius: 31.5 } })
  const values = tried['values'] as readonly { readonly name: string; readonly value: number }[]
  assert.deepEqual([tried['status'], values[0]?.name], ['ok', 'fahrenheit'])

  const refused = await call('publish_flow', { name: 'degrees', version })
  assert.deepEqual([refused['code'], refused['required_scope']], ['forbidden', 'flows:publish'])
  assert.equal((await person.flows.get('degrees')).published_version, null)
  console.log(`agent: the draft makes 31.5 degrees ${values[0]?.value}, and a person has to publish it`)
} finally {
  await agent.close()
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
