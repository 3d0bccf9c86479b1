import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { tokenSchema } from '@flow-service/protocol'
import { validate } from '@readme/openapi-parser'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { authEndpoints } from '../../src/auth/routes.ts'
import { bytes, endpoint, json, reply } from '../../src/http/endpoint.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { flag, pageQuery } from '../../src/http/query.ts'

const sample = {
  list: endpoint({
    id: 'runs.list',
    method: 'get',
    path: '/runs',
    summary: 'Runs',
    auth: 'user',
    scope: null,
    query: pageQuery.extend({ history: flag.default(false) }),
    replies: {
      200: reply.json('Runs', z.array(z.strictObject({ n: z.int() })), z.object({ Link: z.string().optional() })),
    },
  }),
  submit: endpoint({
    id: 'runs.submit',
    method: 'post',
    path: '/runs/flows/{name}',
    summary: 'Submit',
    auth: ['user', 'device'],
    scope: null,
    params: z.object({ name: z.string() }),
    body: json(z.object({ seed: z.int().optional() }), { required: false }),
    replies: { 201: reply.json('The run', tokenSchema) },
    problems: ['not_published', 'version_conflict', 'not_found'],
  }),
  download: endpoint({
    id: 'artifacts.get',
    method: 'get',
    path: '/artifacts/{digest}',
    summary: 'Bytes',
    auth: 'worker',
    params: z.object({ digest: z.string() }),
    replies: { 200: reply.stream('Bytes', ['application/octet-stream', 'text/csv']), 304: reply.empty('Known') },
  }),
  upload: endpoint({
    id: 'artifacts.put',
    method: 'put',
    path: '/artifacts',
    summary: 'Upload',
    auth: 'superuser',
    scope: null,
    body: bytes(10),
    replies: { 204: reply.empty('Stored') },
  }),
}
const endpoints = [...Object.values(authEndpoints), ...Object.values(sample)]
const document = openApiDocument(endpoints, { title: 'Service', version: '1.0.0', tags: { runs: 'Batch runs.' } })
const wire = JSON.parse(JSON.stringify(document))

describe('the document', () => {
  test('passes the recommended rules of redocly without an error or a warning [R026]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    try {
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
      await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended]\n')
      const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      const lint = [redocly, 'lint', 'openapi.json', '--format', 'json', '--max-problems', '1000']
      // a lint with errors rejects, with what it found in the message
      const { stdout } = await promisify(execFile)(process.execPath, lint, { cwd: folder, env })
      expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('is valid for a second parser [R022, R026]', async () => {
    expect(await validate(structuredClone(wire))).toMatchObject({ valid: true })
  })

  test('names its version, licence and server', () => {
    expect(wire).toMatchObject({
      openapi: '3.1.1',
      info: { version: '1.0.0', license: { identifier: 'Apache-2.0' } },
      servers: [{ url: '/api/v1' }],
    })
    expect(wire.tags).toContainEqual({ name: 'runs', description: 'Batch runs.' })
  })

  test('tells of every operation who may call it', () => {
    expect(wire.paths['/login/access-token'].post).toMatchObject({ security: [], 'x-auth-level': 'open' })
    expect(wire.paths['/runs/flows/{name}'].post).toMatchObject({
      security: [{ bearer: [] }],
      'x-auth-level': ['user', 'device'],
    })
  })

  test('lists refusals by status as problem+json, with a default for the others', () => {
    const { responses } = wire.paths['/runs/flows/{name}'].post
    expect(Object.keys(responses)).toEqual(['201', '401', '403', '404', '409', '422', 'default'])
    expect(responses[409].description).toBe(
      '`not_published`: Nothing is published · `version_conflict`: Somebody saved first',
    )
    for (const status of [401, 409, 'default'])
      expect(responses[status].content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      })
  })

  test('tells what a query accepts, not how it is parsed', () => {
    const parameters = wire.paths['/runs'].get.parameters
    expect(parameters).toContainEqual({
      in: 'query',
      name: 'limit',
      description: 'Rows at most.',
      schema: expect.objectContaining({ default: 50, type: 'integer', minimum: 1, maximum: 500 }),
    })
    expect(parameters).toContainEqual({ in: 'query', name: 'history', schema: { default: false, type: 'boolean' } })
    expect(parameters.find((each: { name: string }) => each.name === 'before').schema).toMatchObject({
      type: 'string',
      format: 'date-time',
    })
  })

  test('leaves answers open for more members, and says how large an integer may be', () => {
    const { schema } = wire.paths['/runs'].get.responses[200].content['application/json']
    const n = { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, format: 'int64' }
    expect(schema.items).toEqual({ type: 'object', properties: { n }, required: ['n'] })
  })

  test('tells bytes from text', () => {
    expect(wire.paths['/artifacts/{digest}'].get.responses[200].content).toEqual({
      'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
      'text/csv': { schema: { type: 'string' } },
    })
    expect(wire.paths['/runs/flows/{name}'].post.requestBody.required).toBe(false)
    expect(wire.paths['/artifacts'].put.requestBody.required).toBe(true)
  })
})
