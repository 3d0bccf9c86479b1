import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { pythonFlow, scaleFlow } from './documents.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const rename = (name: string, to: string) => at.send('POST', `/flows/${name}/rename`, { name: to })
const submit = async (name: string): Promise<string> => {
  const { body } = await at.send('POST', `/runs/flows/${name}`, {})
  return String(body?.['id'])
}
const runsOf = async (flow: string) => (await at.client.runs.list({ flow })).map(({ id, flow: of }) => [id, of])

test('runs follow their flow to its new name, with what they publish, and keep the last name [R454] [R458]', async () => {
  await publish(at, 'scale', scaleFlow)
  const first = await submit('scale')
  await at.client.wait(first)
  await expect
    .poll(async () => (await at.client.messages.list()).find(({ name }) => name === 'scale.scaled')?.value)
    .toBe(20)

  expect((await rename('scale', 'resize')).status).toBe(200)
  expect(await runsOf('resize')).toEqual([[first, 'resize']])
  expect(await runsOf('scale')).toEqual([])
  const messages = (await at.client.messages.list()).map(({ name, value }) => [name, value])
  expect(messages).toEqual([
    ['resize.n', null],
    ['resize.scaled', 20],
  ])
  expect((await at.send('POST', '/runs/flows/scale', {})).status).toBe(404)
  const second = await submit('resize')
  expect(await at.client.wait(second)).toMatchObject({ status: 'ok', flow: 'resize', result: { scaled: 20 } })

  expect((await at.send('DELETE', '/flows/resize')).status).toBe(204)
  expect(await runsOf('resize')).toEqual([
    [second, 'resize'],
    [first, 'resize'],
  ])
})

test('a run that executes meanwhile ends under the new name and publishes there', async () => {
  const go = join(at.dataDir, 'go-on')
  const source = `import pathlib, time
def run(n):
    pathlib.Path(${JSON.stringify(`${go}.begun`)}).touch()
    while not pathlib.Path(${JSON.stringify(go)}).exists():
        time.sleep(0.02)
    return {"out": n}
`
  await publish(at, 'slow', pythonFlow(source))
  const id = await submit('slow')
  await expect.poll(() => existsSync(`${go}.begun`)).toBe(true)
  expect((await rename('slow', 'patient')).status).toBe(200)
  // a flow of the old name is another one
  await publish(at, 'slow', pythonFlow(source))
  await writeFile(go, '')
  expect(await at.client.wait(id)).toMatchObject({ status: 'ok', flow: 'patient' })
  const valueOf = async (message: string) =>
    (await at.client.messages.list()).find(({ name }) => name === message)?.value
  await expect.poll(() => valueOf('patient.out')).toBe(3)
  expect(await valueOf('slow.out')).toBeNull()
})

test('submissions and a deletion at once leave no unfinished run of a flow that is gone [R457]', async () => {
  for (let round = 0; round < 5; round++) {
    const name = `raced${round}`
    await publish(at, name, scaleFlow)
    const [deletion, ...submissions] = await Promise.all([
      at.send('DELETE', `/flows/${name}`),
      ...Array.from({ length: 10 }, () => at.send('POST', `/runs/flows/${name}`, {})),
    ])
    expect([204, 409]).toContain(deletion.status)
    for (const { status } of submissions) expect([201, 404]).toContain(status)
    const ids = submissions.flatMap(({ status, body }) => (status === 201 ? [String(body?.['id'])] : []))
    for (const id of ids) expect((await at.client.wait(id)).status).toBe('ok')
    const isThere = (await at.send('GET', `/flows/${name}`)).status === 200
    expect(isThere).toBe(deletion.status === 409)
  }
})
