import type { FlowDocumentInput, PublishedMessage, StepResult } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { closeGate, gate } from '../../observability/service.ts'
import { chain, input, type LiveService, output, startLive } from '../live-service.ts'

let at: LiveService
beforeAll(async () => {
  at = await startLive()
})
afterAll(() => at[Symbol.asyncDispose]())

const statusOf = async (name: string) => (await at.read(name)).status

test('a paused flow holds what comes, shows how much, and goes on in order when it is resumed [R429, R430]', async () => {
  await at.publish('hold', chain())
  expect((await at.control('hold', 'pause')).value).toEqual({ name: 'hold', status: 'paused', held: 0 })
  const answers: PublishedMessage[] = []
  for (const value of [1, 2, 3]) answers.push((await at.send('hold.on', value)).value)
  expect(answers).toMatchObject([1, 2, 3].map((value) => ({ value, cascade: expect.any(String) })))
  expect(await at.read('hold')).toMatchObject({ status: 'paused', held: 3, node_states: [{ status: 'idle' }, {}] })
  expect(await at.listed('hold')).toMatchObject({ status: 'paused', held: 3 })
  expect(await at.values('hold.on')).toEqual([1, 2, 3])
  expect(await at.values('hold.mid')).toEqual([])
  expect((await at.control('hold', 'pause')).value).toEqual({ name: 'hold', status: 'paused', held: 3 })

  expect((await at.control('hold', 'resume')).value).toEqual({ name: 'hold', status: 'active', held: 0 })
  await at.history('hold.off', [1, 2, 3])
  expect((await at.control('hold', 'resume')).value).toEqual({ name: 'hold', status: 'active', held: 0 })
  expect(at.told('hold').slice(-4)).toEqual([
    ['paused', 0],
    ['paused', 3],
    ['active', 0],
    ['active', 0],
  ])
  await expect.poll(() => at.kept('hold')).toBe(0)
})

test('a step lets the oldest delivery through, and what it causes is held again [R431]', async () => {
  await at.publish('walk', chain())
  await at.control('walk', 'pause')
  await at.send('walk.on', 1)
  await at.send('walk.on', 2)
  const step = async () => {
    const { value } = await at.control<StepResult>('walk', 'step')
    return [value.released, value.held, await at.values('walk.mid'), await at.values('walk.off')]
  }
  expect(await step()).toEqual([1, 2, [1], []])
  expect(await step()).toEqual([1, 2, [1, 2], []])
  expect(await step()).toEqual([1, 1, [1, 2], [1]])
  expect(await step()).toEqual([1, 0, [1, 2], [1, 2]])
  expect(await step()).toEqual([0, 0, [1, 2], [1, 2]])
  expect((await at.control<StepResult>('walk', 'step')).value).toEqual({
    name: 'walk',
    status: 'paused',
    held: 0,
    released: 0,
  })
  expect(at.told('walk').slice(-6)).toEqual([2, 2, 1, 0, 0, 0].map((held) => ['paused', held]))
})

test('an execution that runs when the flow is paused goes on to its end; what waits for it is held', async () => {
  await at.feed(999)
  const last = await at.feed(3)
  expect((await at.read('lab')).node_states).toMatchObject([{ node: 'work', status: 'running' }])
  expect((await at.control('lab', 'pause')).value).toEqual({ name: 'lab', status: 'paused', held: 1 })
  gate.resolve()
  await at.history('lab.y', [1998])
  await expect.poll(async () => (await at.read('lab')).node_states).toMatchObject([{ status: 'idle' }])
  expect((await at.read('lab')).held).toBe(1)
  await at.control('lab', 'resume')
  expect(await at.ended(last)).toMatchObject({ status: 'ok', executions: 1 })
  await at.history('lab.y', [1998, 6])
  closeGate()
})

test('a paused flow stays paused when it is started, and says so', async () => {
  await at.publish('firm', chain())
  await at.control('firm', 'pause')
  await at.send('firm.on', 1)
  expect((await at.control('firm', 'start')).value).toEqual({ name: 'firm', status: 'paused', held: 1 })
})

test('a stop gives up what is held as dead letters, and the next start knows nothing of it', async () => {
  await at.publish('given', chain())
  await at.control('given', 'pause')
  for (const value of [1, 2]) await at.send('given.on', value)
  expect((await at.control('given', 'stop')).value).toEqual({ name: 'given', status: 'stopped', held: 0 })
  expect(await at.letters('given')).toEqual(
    [1, 2].map((value) => ({ node: 'first', message: 'given.on', value, reason: 'stopped' })),
  )
  expect(await at.kept('given')).toBe(0)
  expect((await at.control('given', 'stop')).value).toEqual({ name: 'given', status: 'stopped', held: 0 })
  expect((await at.control('given', 'start')).value).toEqual({ name: 'given', status: 'active', held: 0 })
  await at.send('given.on', 3)
  await at.history('given.off', [3])
  expect(await at.letters('given')).toHaveLength(2)
})

/** Pairs values of `on` with the latest `setting`. */
const pairing = (title: string): FlowDocumentInput => ({
  title,
  inputs: [{ name: 'on' }, { name: 'setting' }],
  nodes: [{ id: 'pair', type: 'join', ports: [input('on'), input('setting', { trigger: false }), output('pair')] }],
})

test('a new version of a paused flow takes over what is held and the latest values, and does nothing twice', async () => {
  await at.publish('anew', pairing('one'))
  await at.send('anew.setting', 'warm')
  await at.send('anew.on', 1)
  await at.history('anew.pair', [{ on: 1, setting: 'warm' }])
  await at.control('anew', 'pause')
  await at.send('anew.on', 2)
  expect(await at.next('anew', pairing('two'))).toMatchObject({ status: 'paused', held: 1, title: 'two' })
  await at.send('anew.on', 3)
  expect(await at.read('anew')).toMatchObject({ status: 'paused', held: 2 })
  await at.control('anew', 'resume')
  const pairs = [1, 2, 3].map((on) => ({ on, setting: 'warm' }))
  await at.history('anew.pair', pairs)
  // nor does the next version of the active flow
  expect(await at.next('anew', pairing('three'))).toMatchObject({ status: 'active', held: 0 })
  await at.send('anew.on', 4)
  await at.history('anew.pair', [...pairs, { on: 4, setting: 'warm' }])
  expect(await at.letters('anew')).toEqual([])
  await expect.poll(() => at.kept('anew')).toBe(0)
})

test('what is held is executed by the new version; for a node that it lacks, it becomes a dead letter', async () => {
  await at.publish('changed', chain())
  await at.control('changed', 'pause')
  await at.send('changed.on', 1)
  await at.control('changed', 'step')
  await at.send('changed.on', 2)
  const { nodes = [] } = chain(10)
  const without = { inputs: [{ name: 'on' }], nodes: nodes.slice(0, 1) }
  expect(await at.next('changed', without)).toMatchObject({ status: 'paused', held: 1 })
  await expect.poll(() => at.letters('changed')).toMatchObject([{ node: 'second', value: 1, reason: 'stopped' }])
  await at.control('changed', 'resume')
  await at.history('changed.mid', [1, 20])
  expect(await at.letters('changed')).toHaveLength(1)
})

test('a rename of a paused flow takes what is held along', async () => {
  await at.publish('moved', chain())
  await at.control('moved', 'pause')
  await at.send('moved.on', 1)
  expect((await at.control('moved', 'rename', { name: 'settled' })).value).toMatchObject({ status: 'paused', held: 1 })
  await at.control('settled', 'resume')
  await at.history('settled.off', [1])
})

test('with a paused flow goes what it holds: a later flow of its name holds nothing', async () => {
  await at.publish('gone', chain())
  await at.control('gone', 'pause')
  await at.send('gone.on', 1)
  expect(await at.kept('gone')).toBe(1)
  expect((await at.root('DELETE', '/flows/gone')).status).toBe(204)
  expect((await at.control('gone', 'resume')).status).toBe(404)
  await at.publish('gone', chain())
  expect(await at.read('gone')).toMatchObject({ status: 'active', held: 0 })
  expect(await at.kept('gone')).toBe(0)
  await at.send('gone.on', 2)
  await at.history('gone.off', [2])
})

test('at most 1,000 deliveries are held: beyond, the oldest become dead letters', async () => {
  const readers = Array.from({ length: 100 }, (_, index) => ({
    id: `n${index}`,
    type: 'change',
    settings: {},
    ports: [input('on'), output(`off${index}`)],
  }))
  await at.publish('full', { inputs: [{ name: 'on' }], nodes: readers })
  await at.control('full', 'pause')
  for (let value = 0; value < 11; value++) await at.send('full.on', value)
  expect(await at.read('full')).toMatchObject({ status: 'paused', held: 1000 })
  const letters = await at.letters('full')
  expect(letters).toHaveLength(100)
  expect(letters[0]).toEqual({ node: 'n0', message: 'full.on', value: 0, reason: 'overflow' })
  expect(letters.every(({ value, reason }) => value === 0 && reason === 'overflow')).toBe(true)
  await expect.poll(() => at.kept('full')).toBe(1000)
  await at.control('full', 'resume')
  await at.history('full.off99', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('parallel pauses, resumes and steps lose nothing and double nothing', async () => {
  await at.publish('busy', chain())
  const verbs = ['pause', 'step', 'resume', 'pause', 'resume', 'step', 'pause', 'pause', 'resume']
  const sent = Array.from({ length: 20 }, (_, value) => value)
  await Promise.all([
    ...verbs.map((verb) => at.control('busy', verb)),
    ...sent.map((value) => at.send('busy.on', value)),
  ])
  await at.control('busy', 'resume')
  await expect.poll(async () => (await at.values('busy.off')).toSorted((a, b) => Number(a) - Number(b))).toEqual(sent)
  expect(await at.letters('busy')).toEqual([])
})

test('what is not active is not paused, resumed or stepped, and only what is paused is stepped', async () => {
  const refusals = async (name: string) => {
    const answers = await Promise.all(['pause', 'resume', 'step'].map((verb) => at.control(name, verb)))
    return answers.map(({ problem: { status, code } }) => `${status} ${code}`)
  }
  await at.publish('idle', chain())
  const { problem } = await at.control('idle', 'step')
  expect(problem).toMatchObject({ status: 409, code: 'not_paused', detail: expect.stringContaining('"idle"') })
  await at.control('idle', 'stop')
  const stopped = ['409 not_active', '409 not_active', '409 not_paused']
  expect(await refusals('idle')).toEqual(stopped)
  await at.root('PUT', '/flows/sketch', chain())
  expect(await refusals('sketch')).toEqual(stopped)
  expect(await statusOf('sketch')).toBe('draft')
})

test('batch flows are not controlled, unknown flows not found', async () => {
  const operations = ['pause', 'resume', 'step', 'nodes/first/trigger', 'nodes/first/cancel', 'nodes/first/acknowledge']
  const codes = async (name: string) => {
    const answers = await Promise.all(operations.map((operation) => at.control(name, operation)))
    return new Set(answers.map(({ problem: { status, code } }) => `${status} ${code}`))
  }
  expect(await codes('sums')).toEqual(new Set(['400 wrong_mode']))
  expect(await codes('nowhere')).toEqual(new Set(['404 not_found']))
})
