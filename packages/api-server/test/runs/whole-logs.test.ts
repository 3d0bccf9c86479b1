import type { ArtifactRef } from '@flow-service/protocol'
import { MAX_LOG_BYTES } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { WholeLogs } from '../../src/runs/whole-logs.ts'
import type { TestEngine } from './engine.ts'
import { node, output } from './flows.ts'
import { useEngine } from './use-engine.ts'

let engine: TestEngine
useEngine({}, (opened) => {
  engine = opened
})

const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at} ${'é'.repeat(40)}\n`)

test('a node that says more than its record keeps leaves its whole log as bytes of the run', async () => {
  await engine.publish('talker', { nodes: [node('talk', [output('y')]), node('quiet', [output('z')])] })
  const said = lines(3000)
  engine.code['talk'] = async (call) => {
    for (const line of said) call.onLog('stdout', line)
    return { y: 1 }
  }
  engine.code['quiet'] = async (call) => {
    call.onLog('stdout', 'a word\n')
    return { z: 1 }
  }
  const { id } = await engine.submit('talker')
  const run = await engine.finished(id)
  expect(run.nodes.map(({ node: of, logs_truncated: cut }) => [of, cut])).toEqual([
    ['talk', true],
    ['quiet', false],
  ])
  const [log, ...more] = run.artifacts
  expect(more).toEqual([])
  expect(log).toMatchObject({ name: 'talk.log', node: 'talk', port: null, media_type: 'text/plain; charset=utf-8' })
  expect(Buffer.from(await engine.artifacts.read(log?.digest ?? '')).toString()).toBe(said.join(''))
})

function setup(save: (chunks: AsyncIterable<Uint8Array>, name: string) => Promise<ArtifactRef>) {
  const saved: string[] = []
  const errors: string[] = []
  const logs = new WholeLogs({
    run: 'r',
    save,
    onSaved: (of) => saved.push(of),
    log: { error: (_, message) => errors.push(message) },
  })
  const say = (text: string) => logs.observe({ kind: 'log', node: 'n', text } as never)
  return { logs, saved, errors, say }
}

test('what comes faster than the disk takes it is left out, and the log says so', async () => {
  const { promise: free, resolve: goOn } = Promise.withResolvers<void>()
  const parts: Uint8Array[] = []
  const { logs, saved, say } = setup(async (chunks) => {
    await free
    for await (const chunk of chunks) parts.push(chunk)
    return {} as ArtifactRef
  })
  const text = 'x'.repeat(1024 * 1024)
  for (let at = 0; at < 20; at++) say(text)
  goOn()
  await logs.over()
  const whole = Buffer.concat(parts).toString()
  expect(whole.startsWith(text.repeat(16))).toBe(true)
  expect(whole).toContain(`[${4 * text.length} bytes came faster than they could be stored]`)
  expect(saved).toEqual(['n'])
})

test('a log that cannot be stored is told, and holds nothing up', async () => {
  const { logs, saved, errors, say } = setup(() => Promise.reject(new Error('no space')))
  say('y'.repeat(MAX_LOG_BYTES + 1))
  say('more')
  await logs.over()
  expect([saved, errors]).toEqual([[], ['the whole log of a node could not be stored']])
})
