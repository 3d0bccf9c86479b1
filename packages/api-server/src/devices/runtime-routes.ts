/**
 * `/devices/runtime`: what a board in Python runs (wire decision U18).
 * @module
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import * as z from 'zod'

import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import { knowsTag } from '../http/entity-tag.ts'

const etag = z.object({ etag: z.string() })

export const deviceRuntimeEndpoints = {
  runtime: endpoint({
    id: 'devices.runtime',
    method: 'get',
    path: '/devices/runtime',
    summary: 'Get the source that makes a board a device',
    description: 'One file of Python 3.11 or newer, which needs nothing but the standard library.',
    auth: 'open',
    replies: {
      200: reply.stream('Python source.', ['text/x-python'], etag),
      304: reply.empty('The client has it.', etag),
    },
  }),
} as const

/** Where the source is: the published package carries it, a checkout has it in the package for Python. */
function sourcePath(): string {
  const packed = fileURLToPath(new URL('./device.py', import.meta.url))
  const inCheckout = new URL('../../../device-python/flow_service_device/device.py', import.meta.url)
  return existsSync(packed) ? packed : fileURLToPath(inCheckout)
}

/** The source does not change while an engine runs. */
export function deviceRuntimeHandlers(): Handlers<typeof deviceRuntimeEndpoints> {
  const source = readFileSync(sourcePath(), 'utf8')
  const headers = { etag: `"${createHash('sha256').update(source).digest('hex')}"` }
  return {
    runtime: ({ request }) =>
      knowsTag(request.headers['if-none-match'], headers.etag)
        ? { status: 304, headers }
        : { status: 200, type: 'text/x-python; charset=utf-8', headers, body: Readable.from([source]) },
  }
}
