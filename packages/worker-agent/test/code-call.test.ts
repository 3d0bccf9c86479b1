import { describe, expect, test } from 'vitest'

import { bundle, type CallRequest, isAlive, type Last, sharedRig, until } from './harness.ts'

const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)
const outputsOf = (last: Last) => (last.type === 'result' ? last.outputs : last.error)

describe('the TypeScript convention', () => {
  const shared = sharedRig({ python: null })
  const begin = (run: string, request: Partial<CallRequest> = {}, more = ''): string =>
    shared().begin({ source: bundle(run, more), kind: 'code', entry: 'entry', ...request })
  const call = (run: string, request: Partial<CallRequest> = {}, more = ''): Promise<Last> =>
    shared().last(begin(run, request, more))

  test('inputs and parsed settings are one object, the returned object is the outputs', async () => {
    const settings = 'settings: { parse: (value) => ({ ...value, factor: value.factor * 10 }) },'
    const last = await call(
      '({ a, factor }) => ({ y: a * factor })',
      { inputs: { a: 2 }, settings: { factor: 3 } },
      settings,
    )
    expect(outputsOf(last)).toEqual({ y: 60 })
  })

  test('an absent passive input has its initial value', async () => {
    const input_ports = [{ port: 'a', dtype: 'float', trigger: false } as const]
    const last = await call('({ a }) => ({ y: a })', { input_ports }, 'initials: { a: 7 },')
    expect(outputsOf(last)).toEqual({ y: 7 })
  })

  test.each([
    ['a generator', 'function* () { yield { loss: 1 }; yield { loss: NaN }; return { y: 2 } }'],
    ['an async generator', 'async function* () { yield { loss: 1 }; await 0; yield { loss: NaN }; return { y: 2 } }'],
    ['emit', 'async (_, ctx) => { ctx.emit("loss", 1); ctx.emit("loss", NaN); return { y: 2 } }'],
  ])('%s streams before the finals', async (_, run) => {
    const id = begin(run)
    expect(outputsOf(await shared().last(id))).toEqual({ y: 2 })
    expect(shared().emitted(id)).toEqual([{ loss: 1 }, { loss: 'NaN' }])
  })

  test('a float input spelled Infinity arrives as a number', async () => {
    const input_ports = [{ port: 'a', dtype: 'float', trigger: true } as const]
    const last = await call('({ a }) => ({ y: a === -Infinity })', { inputs: { a: '-Infinity' }, input_ports })
    expect(outputsOf(last)).toEqual({ y: true })
  })

  test.each([
    ['an unknown port', '() => ({ z: 1 })', 'there is no output port "z"; the ports are y, loss'],
    ['an array', '() => [1]', 'return gave an array'],
    ['a Date', '() => ({ y: new Date() })', 'a Date has no JSON form'],
    ['bytes', '() => ({ y: new Uint8Array(1) })', 'ctx.saveArtifact()'],
    ['NaN inside an object', '() => ({ y: { a: NaN } })', 'NaN can only travel as the value of a float port'],
    ['a bigint', '() => ({ y: 1n })', 'a bigint has no JSON form'],
    ['an emission that is no stream', '(_, ctx) => ctx.emit("y", 1)', 'only streaming ports publish before the end'],
  ])('%s fails with a TypeError that names it', async (_, run, text) => {
    expect(failureOf(await call(run))).toMatchObject({ type: 'TypeError', message: expect.stringContaining(text) })
  })

  test('a stage that does not return all its outputs fails; null is no value, and streams are not returned', async () => {
    const missing = { type: 'TypeError', message: expect.stringContaining('outputs that it did not return: y;') }
    for (const run of ['() => ({})', '() => {}', '() => ({ y: undefined })', 'function* () { yield { loss: 1 } }'])
      // oxlint-disable-next-line no-await-in-loop -- a process at a time
      expect(failureOf(await call(run))).toMatchObject(missing)
    expect(outputsOf(await call('() => ({ y: null })'))).toEqual({ y: null })
  })

  test('a missing export is no_entry and names what there is', async () => {
    const failed = failureOf(await call('() => ({})', { entry: 'other' }))
    expect(failed).toMatchObject({ type: 'no_entry', message: expect.stringContaining('exports: entry') })
  })

  test('equal seeds give equal numbers, other seeds others', async () => {
    const run = '(_, ctx) => ({ y: [ctx.random(), ctx.random()] })'
    const [a, b, c] = await Promise.all([call(run, { seed: '7' }), call(run, { seed: '7' }), call(run, { seed: '8' })])
    expect(outputsOf(a)).toEqual(outputsOf(b))
    expect(outputsOf(a)).not.toEqual(outputsOf(c))
    expect(outputsOf(a)).toEqual({ y: [expect.closeTo(0.5, 0), expect.closeTo(0.5, 0)] })
  })

  test('artifacts are stored and loaded as bytes', async () => {
    const run = `async (_, ctx) => {
      const ref = await ctx.saveArtifact(new Uint8Array([1, 2, 3]), { name: 'a', mediaType: 'image/png' })
      const text = await ctx.saveArtifact('größe', {})
      const back = new TextDecoder().decode(await ctx.loadArtifact(text.digest))
      const gone = await ctx.loadArtifact('sha256:00').catch((error) => error.code)
      return { y: [ref.media_type, ref.size, [...(await ctx.loadArtifact(ref))], back, gone] }
    }`
    expect(outputsOf(await call(run))).toEqual({ y: ['image/png', 3, [1, 2, 3], 'größe', 'not_found'] })
  })

  test('run, delivery and env are those of the call', async () => {
    const run = '(_, ctx) => ({ y: [ctx.run, ctx.delivery, process.env.MODE, process.env.SERVICE_CALL_ID] })'
    const id = begin(run, { run: 'run-1', env: { MODE: 'fast' } })
    expect(outputsOf(await shared().last(id))).toEqual({ y: ['run-1', id, 'fast', id] })
  })

  test('console and ctx.log become the log, before the result', async () => {
    const id = begin(
      '(_, ctx) => { console.log("out"); console.error("err"); ctx.log("step", { n: 1 }); return { y: 0 } }',
    )
    await shared().last(id)
    expect(shared().log(id)).toContain('step {"n":1}\n')
    expect(shared().log(id)).toMatch(/out[^]*err|err[^]*out/)
    expect(shared().frames.findLast((frame) => 'call' in frame && frame.call === id)?.type).toBe('result')
  })

  test('a stack trace follows the source map of the bundle and hides the runner', async () => {
    // Line 1 of the bundle is line 41 of flows/fit.ts.
    const map = { version: 3, sources: ['flows/fit.ts'], names: [], mappings: 'AAwCA' }
    const source =
      `export const entry = { kind: 'stage', id: 'x', initials: {}, run() { throw new RangeError('lr') } }\n` +
      `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`
    const failed = failureOf(await shared().call({ source, kind: 'code', entry: 'entry' }))
    expect(failed).toMatchObject({ type: 'RangeError', message: 'lr' })
    expect(failed?.traceback).toMatch(/[ (]flows\/fit\.ts:41/)
    expect(failed?.traceback).not.toContain('code-execution')
  })

  test.each([
    ['what it returned', '() => [1]'],
    ['a declared output that it left out', '() => undefined'],
  ])('a failure by %s has no traceback: no line of it has thrown', async (_, run) => {
    expect(failureOf(await call(run, { mode: 'batch' }))).toMatchObject({ type: 'TypeError', traceback: null })
  })

  test.each([
    [
      'a message with lines like frames',
      'throw new RangeError("lr\\n    at x (node:internal/a:1:2)")',
      'RangeError: lr\n    at x (node:internal/a:1:2)',
    ],
    ['a function of the language', '[1].map(() => { throw new RangeError("lr") })', 'RangeError: lr'],
    ['a deep call', '(function down(n) { return n === 0 ? JSON.parse("{") : down(n - 1) })(20)', 'SyntaxError'],
    ['an artifact that is missing', `await ctx.loadArtifact("sha256:${'0'.repeat(64)}")`, 'Error'],
  ])('the traceback of %s has the lines of the code alone', async (_, statement, head) => {
    const trace = failureOf(await call(`async (_, ctx) => { ${statement} }`))?.traceback ?? ''
    expect(trace.startsWith(head)).toBe(true)
    const frames = trace
      .slice(head.length)
      .split('\n')
      .filter((line) => line.startsWith('    at '))
    expect(frames.at(-1)).toMatch(/^ {4}at (?:async )?(?:Object\.)?run \(train\.mjs:\d+:\d+\)$/)
    expect(frames.filter((line) => !/train\.mjs:|<anonymous>\)$/.test(line))).toEqual([])
  })

  test('code that looks at its own file finds it', async () => {
    const source = `import { readFileSync } from 'node:fs'
      export const entry = { kind: 'stage', id: 'x', initials: {},
        run: () => ({ y: readFileSync(import.meta.filename, 'utf8').length }) }`
    expect(outputsOf(await shared().call({ source, kind: 'code', entry: 'entry' }))).toEqual({ y: source.length })
  })

  test.each([
    ['process.exit', '() => process.exit(5)', 'process_died', 'exited with code 5'],
    ['SIGKILL', '() => process.kill(process.pid, "SIGKILL")', 'process_died', 'SIGKILL'],
    ['an abort', '() => process.abort()', 'process_died', 'SIGABRT'],
    [
      'an error outside any promise',
      '() => new Promise(() => setTimeout(() => { throw new RangeError("late") }))',
      'RangeError',
      'late',
    ],
    [
      'an unhandled rejection',
      'async () => { Promise.reject(new TypeError("lost")); await new Promise(() => setTimeout(() => {}, 1e6)) }',
      'TypeError',
      'lost',
    ],
    ['endless recursion', 'function run() { return run() }', 'RangeError', 'call stack'],
    ['a thrown string', '() => { throw "text" }', 'Error', 'the code threw text'],
  ])('%s fails the call with its type, and the next call works', async (_, run, type, text) => {
    for (const mode of ['batch', 'live'] as const) {
      const failed = failureOf(await call(run, { mode }))
      expect(failed).toMatchObject({ type, message: expect.stringContaining(text) })
      expect(outputsOf(await call('() => ({ y: 1 })', { mode }))).toEqual({ y: 1 })
    }
  })

  test('what the code has left running does not keep the process', async () => {
    const id = begin('() => { setInterval(() => {}, 10); return { y: 1 } }')
    const { pid } = await shared().seen('started', (frame) => frame.call === id)
    expect(outputsOf(await shared().last(id))).toEqual({ y: 1 })
    expect(await until(() => !isAlive(pid))).toBe(true)
  })
})
