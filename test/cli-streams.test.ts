import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { begin, type Ended, ended, runService } from './cli-process.ts'
import { limitNode, publishFlow, scaleFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const hall = {
  mode: 'live',
  inputs: [
    { name: 'temp', dtype: 'float' },
    { name: 'mode', dtype: 'str' },
  ],
  nodes: [limitNode],
}

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-streams-'))
beforeAll(async () => {
  at = await startService()
  await publishFlow(at.client, 'hall', hall)
  await publishFlow(at.client, 'attic', hall)
  await publishFlow(at.client, 'scale', scaleFlow)
  await at.client.http.flows.start({ name: 'hall' })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const where = () => ({ cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
const service = (args: string[]): Promise<Ended> => runService(args, where())

/** Waits until a stream has said something. */
async function said(child: ChildProcessWithoutNullStreams, text: string): Promise<void> {
  let out = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (more: string) => {
      out += more
      if (out.includes(text)) resolve()
    })
  })
}

test('a value is published as JSON or text, and read in the list and the history', async () => {
  const number = await service(['messages', 'publish', 'hall.temp', '31.5'])
  expect(number.out).toMatch(/^hall\.temp = 31\.5 {2}cascade [0-9a-f-]{36}\n$/)
  const negative = await service(['messages', 'publish', 'hall.temp', '-3', '--json'])
  expect(JSON.parse(negative.out)).toMatchObject({ name: 'hall.temp', value: -3 })
  const text = await service(['messages', 'publish', 'attic.mode', 'at night'])
  expect(text.out).toBe('attic.mode = at night  stored; nothing active reads it\n')
  const listed = await service(['messages', 'list', '--flow', 'hall'])
  expect(listed.out).toMatch(/^MESSAGE +DTYPE +VALUE +AT +FROM +READ BY\nhall\.hot +float +31\.5 .* limit +-\n/)
  expect(listed.out).toMatch(/\nhall\.temp +float +-3 +\d\d:\d\d:\d\d +- +hall\.limit\n$/)
  const json = JSON.parse((await service(['messages', 'list', '--json'])).out) as { name: string }[]
  expect(json.map(({ name }) => name)).toContain('attic.mode')
  const history = await service(['messages', 'history', 'hall.temp', '--since', '1h', '--limit', '5'])
  expect(history.out).toMatch(/^AT +VALUE +FROM +RUN\n\S+ +-3 +published\n\S+ +31\.5 +published\n$/)
  const none = await service(['messages', 'history', 'attic.hot'])
  expect(none.out).toBe('No values of "attic.hot" are kept.\n')
})

test.each([
  ['a message that its flow lacks', ['messages', 'publish', 'hall.tmp', '1'], 1, '"hall.tmp": flow "hall" has hot, '],
  ['a message of a flow that nobody knows', ['messages', 'publish', 'hal.temp', '1'], 1, 'publish a flow "hal"'],
  ['a value of another dtype', ['messages', 'publish', 'hall.temp', 'warm'], 1, '/value'],
  ['a message of a batch flow', ['messages', 'publish', 'scale.n', '1'], 1, 'batch'],
  ['a time that is none', ['messages', 'history', 'hall.temp', '--since', 'soon'], 2, 'such as 10m'],
  ['a number of values below 1', ['messages', 'watch', '-n', '0'], 2, 'above 0'],
  ['a type of events that is none', ['events', '--type', 'flow,weather'], 2, '"weather"; the types are snapshot'],
  ['a reason that is none', ['dead-letter', 'replay', '--reason', 'bad'], 2, '"bad" is no reason'],
  ['a replay of nothing', ['dead-letter', 'replay'], 2, 'nothing is named'],
  ['a replay by ids and filters', ['dead-letter', 'replay', 'x', '--all'], 2, 'not both'],
  ['a replay of an id that is none', ['dead-letter', 'replay', 'x'], 1, 'id of a dead letter'],
])('%s is refused with what to do', async (_what, args, code, message) => {
  const refused = await service(args)
  expect([refused.code, refused.out, refused.err]).toEqual([code, '', expect.stringContaining(message)])
})

test('watching shows last values and new ones of the names that fit, a line of JSON each, until Ctrl-C', async () => {
  await at.client.http.messages.publish({ message: 'hall.temp', value: 20 })
  await at.client.http.messages.publish({ message: 'attic.temp', value: 99 })
  const child = begin(['messages', 'watch', 'hall.t*', '--json'], where())
  const { code, out, err } = await ended(child, async () => {
    await said(child, '"value":20')
    const second = said(child, '"value":21')
    await at.client.http.messages.publish({ message: 'attic.temp', value: 98 })
    await at.client.http.messages.publish({ message: 'hall.temp', value: 21 })
    await second
    child.kill('SIGINT')
  })
  expect([code, err]).toEqual([0, ''])
  const lines = out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
    [20, 21].map((value) => ({ ts: expect.any(String), message: 'hall.temp', value })),
  )
})

test('watching ends after so many values, last values too', async () => {
  await at.client.http.messages.publish({ message: 'hall.temp', value: 20 })
  await at.client.http.messages.publish({ message: 'attic.temp', value: 99 })
  const { code, out } = await service(['messages', 'watch', '*.temp', '--count', '1'])
  expect([code, out.trim().split('\n')]).toEqual([0, [expect.stringMatching(/(?:hall|attic)\.temp +\d+$/)]])
})

test('watching goes on when the engine is back, without values that were shown', async () => {
  const first = await startService()
  await publishFlow(first.client, 'hall', hall)
  await first.client.http.messages.publish({ message: 'hall.temp', value: 1 })
  const { dataDir } = first
  const child = begin(['messages', 'watch', 'hall.temp'], { cwd: folder, env: { SERVICE_DATA_DIR: dataDir } })
  const { out } = await ended(child, async () => {
    await said(child, 'hall.temp')
    await first.close()
    await using second = await startService({ dataDir, port: Number(new URL(first.origin).port) })
    const shown = said(child, ' 2\n')
    await second.client.http.messages.publish({ message: 'hall.temp', value: 2 })
    await shown
    child.kill('SIGINT')
  })
  expect(out.trim().split('\n')).toEqual([
    expect.stringMatching(/hall\.temp +1$/),
    expect.stringMatching(/hall\.temp +2$/),
  ])
})

test('events are followed by flow and type', async () => {
  const child = begin(['events', '--flow', 'hall,scale', '--type', 'flow,snapshot', '-n', '3'], where())
  const { code, out } = await ended(child, async () => {
    await said(child, 'snapshot')
    await at.client.http.messages.publish({ message: 'hall.temp', value: 22 })
    await at.client.http.flows.stop({ name: 'hall' })
    await at.client.http.flows.start({ name: 'hall' })
  })
  expect(code).toBe(0)
  const lines = out.trim().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}snapshot {2}\d flows?, 1 active, 0 unfinished runs, engine /),
    expect.stringMatching(/ {2}flow {6}hall is stopped, version 1$/),
    expect.stringMatching(/ {2}flow {6}hall is active, version 1$/),
  ])
  const json = await service(['events', '--json', '--count', '1'])
  expect(JSON.parse(json.out)).toMatchObject({ type: 'snapshot', seq: expect.any(Number) })
})

test('dead letters are listed, and delivered again by id or by what they have in common', async () => {
  const none = await service(['dead-letter', 'list', '--flow', 'hall'])
  expect([none.code, none.out]).toEqual([0, 'No dead letters.\n'])
  await at.client.http.flows.start({ name: 'hall' })
  await at.client.http.flows.pause({ name: 'hall' })
  await at.client.http.messages.publish({ message: 'hall.temp', value: 33 })
  await at.client.http.messages.publish({ message: 'hall.temp', value: 34 })
  // what a flow holds when it is stopped is not done
  await at.client.http.flows.stop({ name: 'hall' })
  await expect.poll(async () => (await at.client.observability.deadLetter({ flow: 'hall' })).length).toBe(2)
  const listed = await service(['dead-letter', 'list', '--flow', 'hall', '--since', '1h'])
  expect(listed.out).toMatch(/^ID +AT +NODE +REASON +MESSAGE +VALUE +TRIED\n/)
  expect(listed.out).toMatch(/hall\.limit +stopped +hall\.temp +34 +\d/)
  const idle = await service(['dead-letter', 'replay', '--flow', 'hall'])
  expect([idle.code, idle.err]).toEqual([1, expect.stringContaining('"hall"')])
  await at.client.http.flows.start({ name: 'hall' })
  const [letter] = JSON.parse((await service(['dead-letter', 'list', '--json'])).out) as { id: string }[]
  const gone = '01900000-0000-7000-8000-0000000000dd'
  const one = await service(['dead-letter', 'replay', gone, letter?.id ?? ''])
  expect(one.out).toMatch(new RegExp(`^${letter?.id} delivered again, cascade [0-9a-f-]{36}\n$`))
  expect([one.code, one.err]).toEqual([
    1,
    expect.stringContaining(`error: ${gone} is not delivered: there is no dead letter`),
  ])
  const told = await service(['dead-letter', 'replay', gone, '--json'])
  expect([told.code, JSON.parse(told.out)]).toEqual([
    1,
    [{ id: gone, cascade: null, error: expect.stringContaining('no dead letter') }],
  ])
  const rest = await service(['dead-letter', 'replay', '--flow', 'hall', '--json'])
  expect(JSON.parse(rest.out)).toEqual({ replayed: 1 })
  const nothing = await service(['dead-letter', 'replay', '--all'])
  expect(nothing.out).toBe('0 dead letters delivered again\n')
  const history = await at.client.http.messages.history({ message: 'hall.hot', limit: 2 })
  expect(history.map(({ value }) => value)).toEqual([33, 34])
})
