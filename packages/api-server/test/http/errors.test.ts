import { createServer } from 'node:net'

import { problemCatalogue } from '@flow-service/protocol'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { invalidPart, ProblemError, problemOf } from '../../src/http/errors.ts'
import { startAuthService } from '../auth/service.ts'
import { quiet } from '../use-database.ts'

describe('a problem', () => {
  test('has the status and title of its code, and its extension members beside them [R694]', () => {
    for (const [code, { status, title }] of Object.entries(problemCatalogue)) {
      const problem = new ProblemError(code as keyof typeof problemCatalogue, 'why', { runs: ['a'] })
      expect(problem.toProblem()).toEqual({
        type: `urn:service:problem:${code}`,
        title,
        status,
        detail: 'why',
        code,
        runs: ['a'],
      })
    }
  })

  test('cannot have a member of its own replaced by an extension', () => {
    expect(new ProblemError('not_found', 'why', { status: 200, code: 'ok' }).toProblem()).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('carries current_version at the top level on a version conflict [R032, R676]', () => {
    const conflict = new ProblemError('version_conflict', 'stale', { current_version: 7 })
    expect(conflict.toProblem()).toMatchObject({ status: 409, current_version: 7 })
  })

  test('takes the code of a refinement that names one, and a pointer with escaped steps', () => {
    const schema = z.object({
      'a/b': z.array(
        z.string().refine((text) => text !== 'ws', { error: 'reserved', params: { code: 'reserved_name' } }),
      ),
    })
    const { error } = schema.safeParse({ 'a/b': ['x', 'ws'] })
    expect(error && invalidPart(error, 'body').extensions).toEqual({
      errors: [{ path: '/a~1b/1', code: 'reserved_name', message: 'reserved' }],
    })
  })

  test('says what to give in place of a value, in words of its own unless the schema has some', () => {
    const schema = z.strictObject({
      name: z.string().regex(/^[a-z]+$/, 'use letters'),
      limit: z.int().min(1).max(500),
      mode: z.enum(['live', 'batch']),
      link: z.url(),
      tags: z.array(z.string()).max(2),
    })
    const messages = (value: unknown) => {
      const { error } = schema.safeParse(value)
      const { errors = [] } = error ? invalidPart(error, 'body').toProblem() : {}
      return Object.fromEntries(errors.map(({ path, message }) => [path, message]))
    }
    expect(messages({ name: 'A', limit: 501, mode: 'dead', link: 'x', tags: ['a', 'b', 'c'] })).toEqual({
      '/name': 'use letters',
      '/limit': 'give it a number of at most 500',
      '/mode': 'give it "live" or "batch"',
      '/link': 'give it an address such as https://example.com/',
      '/tags': 'give it at most 2 items',
    })
    expect(messages({ name: 3, limit: 1.5, tags: {}, link: null })).toMatchObject({
      '/name': 'give it a text',
      '/limit': 'give it a whole number',
      '/mode': 'give it "live" or "batch"',
      '/link': 'give it a text',
      '/tags': 'give it a list',
    })
    expect(messages({})).toMatchObject({ '/name': 'it is missing; give it a text' })
    expect(messages([])).toEqual({ '': 'the body has to be an object' })
  })

  test('lists at most 100 faults and says how many there are', () => {
    const { error } = z.array(z.string()).safeParse(Array.from({ length: 150 }, () => 1))
    const problem = error && invalidPart(error, 'body')
    expect(problem?.extensions.errors).toHaveLength(100)
    expect(problem?.message).toMatch(/^\/0: .* \(and 149 more\)$/)
  })
})

describe('an error of the database', () => {
  test('about a value that does not fit is 422, one that another try may not meet 503, of another kind 500 [F16, F22, F23]', async () => {
    const service = await startAuthService()
    try {
      const codeOf = async (text: string) => {
        const error: unknown = await service.database.sql.unsafe(text).catch((thrown: unknown) => thrown)
        return problemOf(error, quiet).code
      }
      expect(await codeOf("select 'x'::uuid")).toBe('validation_failed')
      expect(await codeOf("select '99999999999'::int")).toBe('validation_failed')
      expect(await codeOf("select '2026-13-01'::timestamptz")).toBe('validation_failed')
      expect(await codeOf('select 1 limit -1')).toBe('validation_failed')
      // conflicts, no room on the disk, no connection left, the end of the server; a disk that fails, files that are gone
      for (const code of ['40001', '40P01', '53100', '53300', '57P01', '58000', '58030', '58P01', '58P02']) {
        const raise = `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`
        expect([code, await codeOf(raise)]).toEqual([code, 'unavailable'])
      }
      expect(await codeOf('select * from nowhere')).toBe('internal')
      expect(await codeOf("insert into account (id, email, password_hash) values (null, 'a', 'b')")).toBe('internal')
    } finally {
      await service.close()
    }
  })

  test('about a connection that is refused, or lost, is 503 with a time to try again [R675]', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const sql = postgres({ host: '127.0.0.1', port, onnotice: () => undefined })
    const failure = () =>
      sql`select 1`.then(() => null).catch((thrown: unknown) => problemOf(thrown, quiet).toProblem())
    const refused = await failure()
    await sql.end({ timeout: 0 })
    const ended = await failure()
    for (const problem of [refused, ended]) {
      expect(problem).toMatchObject({ status: 503, code: 'unavailable', retry_after_s: 1 })
    }
  })

  test('a refused connection to somewhere else is not the database', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    expect(problemOf(error, quiet).code).toBe('internal')
  })
})

test('whatever is thrown becomes a 500 that tells nothing but an id, which the log has', () => {
  for (const thrown of [new Error('password=hunter2'), 'hunter2', null, undefined, { hunter2: true }]) {
    const logged: object[] = []
    const problem = problemOf(thrown, { error: (fields) => logged.push(fields) })
    expect(problem.status).toBe(500)
    expect(JSON.stringify(problem.toProblem())).not.toContain('hunter2')
    expect(logged).toEqual([{ err: thrown, error_id: problem.extensions.error_id }])
  }
})
