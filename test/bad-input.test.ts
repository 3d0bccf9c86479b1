import type { Problem } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { alarmFlow, pythonFlow, scaleFlow } from './documents.ts'
import { problemOf, publish, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
  await publish(at, 'scale', scaleFlow)
  await publish(at, 'alarm', alarmFlow)
  await at.send('PUT', '/flows/unpublished', scaleFlow)
})
afterAll(() => at[Symbol.asyncDispose]())

const nested = (depth: number): string => `{"a":`.repeat(depth) + '1' + '}'.repeat(depth)

interface Case {
  readonly what: string
  readonly request: [method: string, path: string, body?: unknown]
  readonly answer: [status: number, code: Problem['code'], path?: string]
}

const cases: Case[] = [
  { what: 'malformed JSON', request: ['PUT', '/flows/x', '{"mode":'], answer: [400, 'malformed_json'] },
  {
    what: 'depth over 64',
    request: ['PUT', '/flows/x', `{"layout":${nested(65)}}`],
    answer: [422, 'validation_failed'],
  },
  {
    what: 'a NUL in text',
    request: ['PUT', '/flows/x', '{"title":"a\\u0000b"}'],
    answer: [422, 'validation_failed', '/title'],
  },
  {
    what: 'a lone surrogate',
    request: ['PUT', '/flows/x', '{"title":"\\ud800"}'],
    answer: [422, 'validation_failed', '/title'],
  },
  {
    what: 'a duplicate key',
    request: ['PUT', '/flows/x', '{"title":"a","title":"b"}'],
    answer: [422, 'validation_failed', '/title'],
  },
  {
    what: 'an unknown key',
    request: ['PUT', '/flows/x', { colour: 'red' }],
    answer: [422, 'validation_failed', '/colour'],
  },
  { what: 'a wrong type', request: ['PUT', '/flows/x', { title: 7 }], answer: [422, 'validation_failed', '/title'] },
  { what: 'a reserved name', request: ['PUT', '/flows/library', {}], answer: [422, 'validation_failed', 'path.name'] },
  { what: 'an unknown flow', request: ['GET', '/flows/nobody'], answer: [404, 'not_found'] },
  { what: 'a run of an unknown flow', request: ['POST', '/runs/flows/nobody', {}], answer: [404, 'not_found'] },
  {
    what: 'a run of an unpublished flow',
    request: ['POST', '/runs/flows/unpublished', {}],
    answer: [409, 'not_published'],
  },
  { what: 'a run of a live flow', request: ['POST', '/runs/flows/alarm', {}], answer: [400, 'wrong_mode'] },
  { what: 'a start of a batch flow', request: ['POST', '/flows/scale/start'], answer: [400, 'wrong_mode'] },
  {
    what: 'an unknown parameter',
    request: ['POST', '/runs/flows/scale', { params: { m: 1 } }],
    answer: [422, 'validation_failed', '/params/m'],
  },
  {
    what: 'a parameter off its dtype',
    request: ['POST', '/runs/flows/scale', { params: { n: 'x' } }],
    answer: [422, 'validation_failed', '/params/n'],
  },
  {
    what: 'a stale version',
    request: ['PUT', '/flows/scale', { ...scaleFlow, version: 9 }],
    answer: [409, 'version_conflict'],
  },
  {
    what: 'a message nobody declares',
    request: ['POST', '/messages/alarm.nothing', { value: 1 }],
    answer: [404, 'message_not_declared'],
  },
  {
    what: 'a message off its dtype',
    request: ['POST', '/messages/alarm.temp', { value: 'warm' }],
    answer: [422, 'validation_failed', '/value'],
  },
  {
    what: 'a message of a batch flow',
    request: ['POST', '/messages/scale.n', { value: 1 }],
    answer: [400, 'wrong_mode'],
  },
  {
    what: 'an unknown run',
    request: ['GET', '/runs/01a1fda3-faaa-7235-a34d-6e134dc9ce54'],
    answer: [404, 'not_found'],
  },
  { what: 'an id that is none', request: ['GET', '/runs/7'], answer: [422, 'validation_failed', 'path.id'] },
  {
    what: 'a limit out of range',
    request: ['GET', '/runs?limit=501'],
    answer: [422, 'validation_failed', 'query.limit'],
  },
  {
    what: 'an unknown query',
    request: ['GET', '/runs?colour=red'],
    answer: [422, 'validation_failed', 'query.colour'],
  },
  {
    what: 'a time without an offset',
    request: ['GET', '/runs?before=2026-01-01T00:00:00'],
    answer: [422, 'validation_failed', 'query.before'],
  },
  { what: 'an unknown artifact', request: ['GET', `/artifacts/sha256:${'0'.repeat(64)}`], answer: [404, 'not_found'] },
  {
    what: 'a digest that is none',
    request: ['GET', '/artifacts/..%2f..%2fetc'],
    answer: [422, 'validation_failed', 'path.digest'],
  },
  { what: 'a path that is none', request: ['GET', '/nothing/here'], answer: [404, 'not_found'] },
  { what: 'a method that is none', request: ['PATCH', '/flows/scale', {}], answer: [405, 'method_not_allowed'] },
]

describe('a refused request is a problem with a code, the place and what to do', () => {
  test.each(cases)('$what', async ({ request: [method, path, body], answer: [status, code, place] }) => {
    const answer = await at.send(method, path, body)
    const problem = problemOf(answer)
    expect([answer.status, problem.code, problem.status]).toEqual([status, code, status])
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(problem.detail.length).toBeGreaterThan(10)
    if (place !== undefined) expect(problem.errors?.map((item) => item.path)).toContain(place)
  })

  test('a refused save stores nothing', async () => {
    expect((await at.send('GET', '/flows/x')).status).toBe(404)
  })

  test('a body of another media type is 415', async () => {
    const answer = await at.send('PUT', '/flows/x', '<flow/>', { 'content-type': 'application/xml' })
    expect([answer.status, problemOf(answer).code]).toEqual([415, 'unsupported_media_type'])
  })

  test('a JSON body over its limit is 413', async () => {
    const answer = await at.send('PUT', '/flows/x', { description: 'x'.repeat(5 * 1024 * 1024) })
    expect([answer.status, problemOf(answer).code]).toEqual([413, 'payload_too_large'])
  })
})

describe('a graph with errors is kept as a draft and refused where it would run', () => {
  const port = (direction: string, name: string) => ({ direction, name, dtype: 'int' })
  const graphs = {
    unproduced: {
      mode: 'batch',
      nodes: [{ id: 'a', type: 'change', ports: [port('input', 'nowhere'), port('output', 'y')] }],
    },
    circular: {
      mode: 'batch',
      nodes: [
        { id: 'a', type: 'change', ports: [port('input', 'x'), port('output', 'y')] },
        { id: 'b', type: 'change', ports: [port('input', 'y'), port('output', 'x')] },
      ],
    },
    broken_python: pythonFlow('def run(n):\n    return {"out": n\n'),
  }
  test.each([
    ['unproduced', 'unproduced_message'],
    ['circular', 'cycle'],
    ['broken_python', 'bad_source'],
  ] as const)('%s: %s', async (name, code) => {
    const saved = await at.send('PUT', `/flows/${name}`, graphs[name])
    expect(saved.status).toBe(201)
    const checked = await at.send('POST', `/flows/${name}/validate`)
    expect(checked.body).toMatchObject({ valid: false })
    expect(checked.body?.issues).toContainEqual(
      expect.objectContaining({ code, severity: 'error', node: expect.any(String) }),
    )
    const published = await at.send('POST', `/flows/${name}/publish`, { version: 1 })
    expect([published.status, problemOf(published).code]).toEqual([422, 'flow_invalid'])
    const draft = await at.send('POST', `/runs/flows/${name}`, { draft: true })
    expect([draft.status, problemOf(draft).code]).toEqual([422, 'flow_invalid'])
  })

  test('a Python syntax error names its line', async () => {
    const { body } = await at.send('POST', '/flows/broken_python/validate')
    const [issue] = (body as { issues: { message: string }[] }).issues
    expect(issue?.message).toMatch(/line 2/)
  })
})

describe('Python that dies fails its node and nothing else', () => {
  test.each([
    ['by a signal', 'import os, signal\ndef run(n):\n    os.kill(os.getpid(), signal.SIGSEGV)\n', 'SIGSEGV'],
    ['by os._exit', 'import os\ndef run(n):\n    os._exit(7)\n', '7'],
    ['by an exception', 'def run(n):\n    return {"out": 1 / (n - 3)}\n', 'division by zero'],
  ])('%s', async (_how, source, said) => {
    const name = `dying${said.replaceAll(/\W/g, '')}`
    await publish(at, name, pythonFlow(source))
    const run = await at.client.wait((await at.client.http.runs.submit({ name })).id)
    expect([run.status, run.error?.node]).toEqual(['error', 'work'])
    expect(run.error?.message).toContain(said)
    const next = await at.client.wait((await at.client.http.runs.submit({ name: 'scale' })).id)
    expect(next.result).toEqual({ scaled: 20 })
  })
})
