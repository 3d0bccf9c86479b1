import { latest, node, stage, stream, t } from '@flow-service/flow-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { testStage } from '../src/index.ts'

const train = stage('train', {
  in: { lr: t.float },
  out: { loss: stream(t.float), error: t.float, model: t.artifact },
  settings: z.object({ epochs: z.int().default(3) }),
  async *run({ lr, epochs }, ctx) {
    let error = 1
    for (let epoch = 0; epoch < epochs; epoch++) yield { loss: (error *= 1 - lr) }
    ctx.log('trained', { epochs })
    return { error, model: await ctx.saveArtifact('weights', { name: 'w.txt', mediaType: 'text/plain' }) }
  },
})

test('a stage is called with parsed settings, and its yields, results, logs and artifacts are seen', async () => {
  const { outputs, emitted, logs, artifacts } = await testStage(train, { lr: 0.5 })
  expect(outputs.error).toBe(0.125)
  expect(emitted).toEqual([0.5, 0.25, 0.125].map((value) => ({ port: 'loss', value })))
  expect(logs).toEqual(['trained {"epochs":3}'])
  expect(new TextDecoder().decode(artifacts.get(outputs.model?.digest ?? ''))).toBe('weights')
})

test('bytes are stored without a name unless they are given one', async () => {
  const save = stage('save', {
    in: {},
    out: { file: t.artifact },
    run: async (_, ctx) => ({ file: await ctx.saveArtifact('x') }),
  })
  const { outputs } = await testStage(save, {})
  expect(outputs.file).toMatchObject({ name: '', media_type: 'application/octet-stream', size: 1, volatile: false })
})

test('settings that do not fit their schema are refused', async () => {
  await expect(testStage(train, { lr: 0.5 }, { settings: { epochs: 1.5 } })).rejects.toThrow('epochs')
})

test('equal seeds give equal numbers and different ones do not', async () => {
  const roll = stage('roll', { in: {}, out: { x: t.float }, run: (_, ctx) => ({ x: ctx.random() }) })
  const x = async (seed: number) => (await testStage(roll, {}, { seed })).outputs.x
  expect(await x(1)).toBe(await x(1))
  expect(await x(1)).not.toBe(await x(2))
})

test('a value on a port that the definition lacks is an error that names the ports', async () => {
  const wrong = node('wrong', { in: {}, out: { y: t.int }, run: () => ({ z: 1 }) as { y?: number } })
  await expect(testStage(wrong, {})).rejects.toThrow('wrong gives "z", which is no output of it; its outputs: y')
})

test('a passive input that is not given has its initial value', async () => {
  const decide = node('decide', {
    in: { hot: t.float, mode: latest(t.str, 'auto') },
    out: { on: t.bool },
    run: ({ hot, mode }) => ({ on: hot > 28 && mode === 'auto' }),
  })
  expect((await testStage(decide, { hot: 31, mode: 'off' })).outputs.on).toBe(false)
  expect((await testStage(decide, { hot: 31 })).outputs.on).toBe(true)
  // @ts-expect-error -- an input that runs the node has no value of its own
  expect((await testStage(decide, { mode: 'auto' })).outputs.on).toBe(false)
})
