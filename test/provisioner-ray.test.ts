/** The cases of provisioners on a real Ray, whose dashboard asks for its token. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { describe } from 'vitest'

import { plainRequest } from './components/plain-request.ts'
import { hasRay, startRay } from './components/ray.ts'
import type { RealCluster } from './provisioned-site.ts'
import { provisionerCases } from './provisioner-suite.ts'

async function open(): Promise<RealCluster> {
  const ray = await startRay({ cpus: 4 })
  const gate = await openGate(ray.address)
  mkdirSync(join(ray.directory, 'bin'))
  return {
    directory: ray.directory,
    settings: { type: 'ray', address: gate.address, token_env: 'RAY_TOKEN' },
    env: {
      RAY_TOKEN: ray.token,
      WRONG_TOKEN: 'of another cluster',
      DEAF_TOKEN: `deaf:${ray.token}`,
      SLOW_TOKEN: `slow:${ray.token}`,
    },
    profile: () => ({}),
    jobs: async (profile) => {
      const own = (await ray.queue()).filter(({ name }) => name === `service-${profile}`)
      return [...new Set(own.map(({ id }) => id.replace(/-\d+$/, '')))]
    },
    hold: () => ray.hold(),
    release: () => ray.release(),
    dropsWaiting: false,
    refused: {
      settings: { token_env: 'WRONG_TOKEN' },
      words: '403 Forbidden: Forbidden: Invalid authentication token',
    },
    deafSettings: { token_env: 'DEAF_TOKEN' },
    slowSettings: { token_env: 'SLOW_TOKEN' },
    async stop() {
      gate.close()
      await ray.stop()
    },
  }
}

/**
 * Stands before a dashboard. To whoever has `deaf:` before the token answers to jobs that are handed in are lost, for whoever has
 * `slow:` nothing is stopped.
 */
async function openGate(target: string) {
  const server = createServer((request, response) => void pass(request, response))
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers, url: path = '' } = request
    const [, kind, token = ''] = /^Bearer (?:(deaf|slow):)?(.*)$/.exec(headers.authorization ?? '') ?? []
    const body = await text(request)
    if (kind === 'slow' && path.endsWith('/stop')) return
    const answer = await plainRequest(method, target + path, { token, ...(body === '' ? {} : { body }) })
    if (kind === 'deaf' && method === 'POST') return
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe.skipIf(!hasRay())('Ray', () => {
  provisionerCases('ray', open)
})
