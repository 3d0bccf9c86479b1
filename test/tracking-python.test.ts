/** Programs in Python that a whole engine is told of: as they train, as they die, and what is left of them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import { environment, home } from '../packages/python/test/python.ts'
import { freePort } from './components/free-port.ts'
import { pythonWith } from './components/python-packages.ts'
import { python, pythons } from './components/pythons.ts'
import { startService, type TestService } from './service.ts'

// programs that import a learner take their time
vi.setConfig({ testTimeout: 300_000 })

let at: TestService
beforeAll(async () => void (at = await startService()))
afterAll(() => at[Symbol.asyncDispose]())

const scratch = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'training-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
const signedIn = (to: TestService = at) => ({ ...environment, SERVICE_URL: to.baseUrl, SERVICE_TOKEN: to.token })

/** A slow machine ends its runs as well. */
const patient = 'from service import track\ntrack.WAIT_S = 300\n'

/** Executes a program to its end; gives what it wrote on stderr. */
async function trained(program: string, source: string, cwd: string, env: NodeJS.ProcessEnv = signedIn()) {
  const { stderr } = await promisify(execFile)(program, ['-c', patient + source], { cwd, env })
  return stderr
}

/** Starts a program that prints a line, and waits for it. */
async function talking(source: string, cwd: string, env: NodeJS.ProcessEnv = signedIn()): Promise<ChildProcess> {
  const child = spawn(python ?? '', ['-c', patient + source], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}

const sync = async (cwd: string): Promise<string> =>
  (await promisify(execFile)(python ?? '', ['-m', 'service.track', 'sync'], { cwd, env: signedIn() })).stdout

const runsOf = (flow: string, from: TestService = at) => from.client.runs.list({ flow })
const theRun = async (flow: string, from: TestService = at) => {
  const [run, ...others] = await runsOf(flow, from)
  expect(others).toEqual([])
  return from.client.http.runs.get({ id: run?.id ?? '' })
}
const valuesOf = async (id: string, name: string, from: TestService = at) =>
  (await from.client.http.runs.metrics({ id, name })).flatMap(({ points }) => points.map(({ value }) => value))

const ascending = (count: number) => Array.from({ length: count }, (_, value) => value)

describe.each(pythons)('with %s', (each) => {
  const flow = `fit_${/3\.(\d+)/.exec(each)?.[1] ?? 'any'}`

  test('a training is a run with its params, curves, files and results', async () => {
    const folder = await scratch()
    await writeFile(join(folder, 'model.txt'), 'weights')
    const source = `
import math
from service import track
with track.run("${flow}", params={"lr": 0.1}, tags=["baseline"], seed=7, note="first") as run:
    for value in (3, 2.5, math.nan, math.inf):
        run.log(loss=value)
    run.log({"val/loss": 0.5}, step=9)
    run.params(epochs=4)
    run.tag("late")
    run.artifact("model.txt", "best.txt")
    run.result(f1=0.9)
`
    expect(await trained(each, source, folder)).toContain(`of "${flow}": ${at.baseUrl}/runs/`)
    const run = await theRun(flow)
    expect(run).toMatchObject({
      status: 'ok',
      origin: 'track',
      params: { lr: 0.1, epochs: 4 },
      result: { f1: 0.9 },
      tags: ['baseline', 'late'],
      seed: 7,
      note: 'first',
      artifacts: [{ name: 'best.txt', size: 7 }],
    })
    expect(await valuesOf(run.id, 'loss')).toEqual([3, 2.5, 'NaN', 'Infinity'])
    const [curve] = await at.client.http.runs.metrics({ id: run.id, name: 'val/loss' })
    expect(curve).toMatchObject({ name: `${flow}.val/loss`, points: [{ step: 9, value: 0.5 }] })
    expect(await readdir(join(folder, '.service/track'))).toEqual([])
  })

  test('an exception is the error of its run', async () => {
    const source = `
from service import track
with track.run("${flow}_failing") as run:
    run.log(loss=1)
    raise ValueError("no data")
`
    await expect(trained(each, source, await scratch())).rejects.toThrow('ValueError: no data')
    expect(await theRun(`${flow}_failing`)).toMatchObject({
      status: 'error',
      error: { type: 'ValueError', message: expect.stringContaining('no data') },
    })
  })
})

describe.skipIf(python === null)('a training', () => {
  const endless = (flow: string) => `
import itertools
from service import track
with track.run("${flow}") as run:
    for step in itertools.count():
        run.log(loss=step)
        if step == 1000:
            print("training", flush=True)
`

  test('that is killed loses no point and doubles none, once the rest is sent', async () => {
    const folder = await scratch()
    const child = await talking(endless('killed'), folder)
    await expect.poll(async () => (await runsOf('killed'))[0]?.status).toBe('running')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [journal = ''] = await readdir(join(folder, '.service/track'))
    const lines = (await readFile(join(folder, '.service/track', journal), 'utf8')).split('\n')
    const last = lines.findLast((line) => line.startsWith('["loss"') && line.endsWith(']')) ?? '["loss",1000]'
    expect(await sync(folder)).toContain(': sent')
    const values = await valuesOf((await theRun('killed')).id, 'loss')
    expect(values).toEqual(ascending((JSON.parse(last) as [string, number])[1] + 1))
    expect(await sync(folder)).toBe('nothing waits\n')
  })

  test('that is cancelled ends at its next word', async () => {
    const child = await talking(endless('cancelled'), await scratch())
    let told = ''
    child.stderr?.on('data', (chunk) => (told += String(chunk)))
    await expect.poll(async () => (await runsOf('cancelled'))[0]?.status).toBe('running')
    const [run] = await runsOf('cancelled')
    await at.client.http.runs.cancel({ id: run?.id ?? '' })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(told).toContain('Cancelled: run')
    expect((await theRun('cancelled')).status).toBe('cancelled')
  })

  test('goes on while its engine is away, and what it said meanwhile arrives', async () => {
    const dataDir = await scratch()
    const port = await freePort()
    const first = await startService({ dataDir, port })
    const source = `
import sys
from service import track
with track.run("patient") as run:
    for step in range(3000):
        run.log(loss=step)
        if step % 1000 == 999:
            print(step, flush=True)
            sys.stdin.readline()
`
    const folder = await scratch()
    const child = await talking(source, folder, signedIn(first))
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })
    await expect.poll(async () => (await runsOf('patient', first)).length).toBe(1)
    await first.close()
    const printed = once(lines, 'line')
    child.stdin?.write('\n')
    await printed
    await using second = await startService({ dataDir, port })
    child.stdin?.write('\n')
    await once(lines, 'line')
    child.stdin?.end('\n')
    expect(await once(child, 'exit')).toEqual([0, null])
    // where it did not arrive before the program's end
    await promisify(execFile)(python ?? '', ['-m', 'service.track', 'sync'], { cwd: folder, env: signedIn(second) })
    const run = await theRun('patient', second)
    expect(run.status).toBe('ok')
    expect(await valuesOf(run.id, 'loss', second)).toEqual(ascending(3000))
  })

  test('without an engine waits in its folder until somebody sends it', async () => {
    const folder = await scratch()
    await writeFile(join(folder, 'weights'), 'w')
    const nowhere = { ...signedIn(), SERVICE_URL: 'http://127.0.0.1:1/api/v1' }
    const source = `
from service import track
with track.run("offline", commit="0123abc") as run:
    for step in range(100):
        run.log(loss=step)
    run.artifact("weights")
`
    expect(await trained(python ?? '', source, folder, nowhere)).toContain(
      '"python -m service.track sync" sends the rest',
    )
    expect(await runsOf('offline')).toEqual([])
    await sync(folder)
    const run = await theRun('offline')
    expect(run).toMatchObject({ status: 'ok', commit: '0123abc', artifacts: [{ name: 'weights' }] })
    expect(await valuesOf(run.id, 'loss')).toEqual(ascending(100))
  })
})

const learner = pythonWith('sklearn')

test.skipIf(learner === null)('the quickstart of MLflow runs at an engine with one import changed', async () => {
  const text = await readFile(join(home, 'test/quickstart.py'), 'utf8')
  await trained(learner ?? '', text.replace('import mlflow\n', 'import service.mlflow as mlflow\n'), await scratch())
  const runs = await at.client.runs.list({ flow: 'MLflow_Quickstart', include: 'params,metrics' })
  expect(runs.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect(runs[0]).toMatchObject({
    params: { solver: 'lbfgs', max_iter: 1000 },
    metrics: { accuracy: expect.anything() },
  })
})
