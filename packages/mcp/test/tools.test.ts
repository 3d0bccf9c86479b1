import { createClient } from '@flow-service/client-sdk'
import { createMcpServer } from '@flow-service/mcp'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'

test('an agent is shown what its token may do', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' })
  await createMcpServer({ client, scopes: new Set(['flows:read']) }).connect(far)
  const agent = new Client({ name: 'test', version: '1' })
  await agent.connect(near)
  expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(['list_flows'])
  await agent.close()
})
