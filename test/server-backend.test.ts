import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { createClient } from '@flow-service/client-sdk'
import { artifactRefsIn } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { AwakeTime } from './components/awake-time.ts'
import { findPostgres } from './components/postgres.ts'
import { publishFlow, pythonFlow, scaleFlow } from './documents.ts'
import { DataDirectory, type EngineProcess, processesWith, serviceCommand } from './engine-process.ts'
import { useServerDatabases } from './server-databases.ts'

/** In the environment of an engine that is killed, and so of every process that it starts. */
const MARK = 'SERVER_BACKEND_TEST_MARK'
const onLinux = process.platform === 'linux'
const meter = { mode: 'live', inputs: [{ name: 'level', dtype: 'int' }] }

describe.skipIf(!findPostgres())('engines on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  /** The environment of engines that share a new database, and the folder that they share. */
  const shared = async (name: string, data: DataDirectory): Promise<NodeJS.ProcessEnv> => ({
    ...(await databases.env(name)),
    SERVICE_ARTIFACTS_DIR: join(data.path, 'shared'),
  })

  test('a restart keeps users, flows, runs, curves, artifacts and messages, and nothing of them is in the data directory', async () => {
    using data = new DataDirectory()
    const env = await shared('restart', data)
    const first = await data.start(env)
    await publishFlow(first.client, 'meter', meter)
    await publishFlow(first.client, 'train', training)
    await first.client.http.messages.publish({ message: 'meter.level', value: 7 as never })
    const { id } = await first.client.http.runs.submit({ name: 'train', params: { n: 4 } as never })
    expect(await first.client.wait(id)).toMatchObject({ status: 'ok', result: { out: { size: 5 } } })
    const before = await everything(first, id)
    expect(before.curves).toMatchObject([{ name: 'train.loss', count: 4 }])
    expect(await first.end('SIGTERM')).toBe(0)

    const second = await data.start(env)
    expect(await everything(second, id)).toEqual(before)
    expect(existsSync(join(data.path, 'db'))).toBe(false)
    expect(await second.end('SIGTERM')).toBe(0)
  })

  test('of three engines one is killed and one stands still: their runs are abandoned 5 s after their leases, never executed again, and late results are refused; a run of the third goes on [R407] [R408] [R409] [F3] [F15]', async () => {
    using data = new DataDirectory()
    using standing = new DataDirectory()
    using elsewhere = new DataDirectory()
    const [leaseS, renewS] = [6, 2]
    const lease = { SERVICE_RUN_LEASE_S: String(leaseS), SERVICE_RUN_RENEW_S: String(renewS) }
    const env = { ...(await shared('killed', data)), ...lease }
    const one = { ...env, SERVICE_MAX_RUNS: '1' }
    const killed = await data.start({ ...one, [MARK]: data.path })
    const frozen = await standing.start(one)
    const log = join(data.path, 'executions')
    const end = join(data.path, 'end')
    await publishFlow(killed.client, 'waiter', pythonFlow(`${noting(log)}${untilFile(end)}    return {"out": n}\n`))
    const submit = (n: number) => killed.client.http.runs.submit({ name: 'waiter', params: { n } as never })
    const ids = (await Promise.all([submit(3), submit(4)])).map(({ id }) => id)
    await expect.poll(() => linesOf(log).toSorted()).toEqual(['3', '4'])
    const other = await elsewhere.start(env)
    const statesAt = ({ client }: EngineProcess) =>
      Promise.all(ids.map(async (id) => (await client.http.runs.get({ id })).status))
    expect(await statesAt(other)).toEqual(['running', 'running'])
    const { id: living } = await other.client.http.runs.submit({ name: 'waiter', params: { n: 5 } as never })
    await expect.poll(() => linesOf(log).toSorted()).toEqual(['3', '4', '5'])
    const begunAt = performance.now()
    using awake = new AwakeTime()

    await killed.end('SIGKILL')
    frozen.child.kill('SIGSTOP')
    if (onLinux) await expect.poll(() => processesWith(`${MARK}=${data.path}`)).toEqual([])
    const both = ['abandoned', 'abandoned']
    await expect.poll(() => statesAt(other), { interval: 250 }).toEqual(both)
    // and what a busy machine needs
    expect(awake.ms).toBeLessThan((leaseS + 5 + 5) * 1000)
    // longer than its lease: it was renewed
    await expect.poll(() => performance.now() - begunAt).toBeGreaterThan((leaseS + 5) * 1000)
    expect(await statusOf(other, living)).toBe('running')

    // the code of the standing engine ends meanwhile: its result is known when the engine goes on
    writeFileSync(end, '')
    frozen.child.kill('SIGCONT')
    expect((await other.client.wait(living)).status).toBe('ok')
    const again = await data.start(env)
    await publishFlow(again.client, 'scale', scaleFlow)
    // all engines are idle: what they could take, they have taken when a later run is over
    for (const engine of [frozen, again, other]) {
      expect(await finished(engine, 'scale')).toBe('ok')
      expect(await statesAt(engine)).toEqual(both)
    }
    for (const id of ids) expect(await other.client.http.runs.get({ id })).toMatchObject({ result: null })
    expect(linesOf(log).toSorted()).toEqual(['3', '4', '5'])
    for (const engine of [frozen, again, other]) expect(await engine.end('SIGTERM')).toBe(0)
  })

  test('two engines share the queue: both execute, each run once, and every run is visible at both', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const env = { ...(await shared('queue', data)), SERVICE_MAX_RUNS: '1' }
    // at once: they make the tables and the first user of an empty database together
    const [one, two] = await Promise.all([data.start(env), elsewhere.start(env)])
    const log = join(data.path, 'executions')
    await publishFlow(one.client, 'noting', pythonFlow(`${noting(log)}    return {"out": n}\n`))
    await publishFlow(two.client, 'meeting', pythonFlow(meetingIn(data.path)))

    const pair = await Promise.all(
      [0, 1].map((n) => one.client.http.runs.submit({ name: 'meeting', params: { n } as never })),
    )
    for (const { id } of pair) expect((await one.client.wait(id)).status).toBe('ok')

    const submitted = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? one : two).client.http.runs.submit({ name: 'noting', params: { n } as never }),
      ),
    )
    const unfinished = () => two.client.runs.list({ status: 'queued,running' })
    await expect.poll(unfinished).toEqual([])
    expect(linesOf(log).toSorted((a, b) => Number(a) - Number(b))).toEqual(submitted.map((_, n) => String(n)))
    for (const { id } of submitted) {
      const [atOne, atTwo] = await Promise.all([one, two].map(({ client }) => client.http.runs.get({ id })))
      expect(atOne).toMatchObject({ status: 'ok' })
      expect(atTwo).toEqual(atOne)
    }
    for (const engine of [one, two]) expect(await engine.end('SIGTERM')).toBe(0)
  })

  test('a server that cannot be reached ends the start with one line and code 1', async () => {
    using data = new DataDirectory()
    const env = { ...process.env, SERVICE_DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/flows' }
    const starting = promisify(execFile)(process.execPath, serviceCommand('serve', '--data', data.path), { env })
    const message =
      'error: cannot use the database server 127.0.0.1:1/flows: connect ECONNREFUSED 127.0.0.1:1; check SERVICE_DATABASE_URL\n'
    await expect(starting).rejects.toMatchObject({ code: 1, stderr: message, stdout: '' })
  })

  test('a server that dies makes requests answer 503; when it is back the engine goes on, and the run has its end [R675, F16]', async () => {
    using data = new DataDirectory()
    const engine = await data.start(await shared('dies', data))
    const { client } = engine
    await publishFlow(client, 'scale', scaleFlow)
    await publishFlow(client, 'meter', meter)
    await client.http.messages.publish({ message: 'meter.level', value: 7 as never })
    const goOn = join(data.path, 'go-on')
    await publishFlow(client, 'waiting', pythonFlow(waitingFor(goOn)))
    const { id } = await client.http.runs.submit({ name: 'waiting' })
    await expect.poll(() => existsSync(`${goOn}.begun`)).toBe(true)

    await databases.server().crash()
    const unavailable = { status: 503, problem: { code: 'unavailable', status: 503 } }
    await expect(client.flows.list()).rejects.toMatchObject(unavailable)
    await expect(client.http.runs.submit({ name: 'scale' })).rejects.toMatchObject(unavailable)
    await expect(client.http.flows.save({ name: 'more', flowDocument: {} })).rejects.toMatchObject(unavailable)
    await expect(client.http.messages.publish({ message: 'meter.level', value: 8 as never })).rejects.toMatchObject(
      unavailable,
    )
    // what the engine can mend is no reason to restart it
    expect((await fetch(`${engine.origin}/healthz`)).status).toBe(200)
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${engine.token}` }
      const answer = await fetch(`${engine.baseUrl}${path}`, { headers })
      return { status: answer.status, body: (await answer.json()) as unknown }
    }
    expect(await ask('/observability/summary')).toMatchObject({
      status: 200,
      body: { status: 'down', checks: { store: { status: 'down' } } },
    })
    expect(await ask('/utils/health/')).toMatchObject({ status: 503, body: { code: 'unavailable' } })

    await databases.server().start()
    await expect.poll(() => client.flows.list().catch(() => [])).toHaveLength(3)
    await expect.poll(() => ask('/utils/health/')).toMatchObject({ status: 200, body: { status: 'ok' } })
    await client.http.messages.publish({ message: 'meter.level', value: 9 as never })
    expect((await client.http.messages.history({ message: 'meter.level' })).at(0)).toMatchObject({ value: 9 })
    expect(await finished(engine, 'scale')).toBe('ok')
    await promisify(execFile)('touch', [goOn])
    await expect.poll(() => statusOf(engine, id)).toBe('ok')
    expect(await engine.end('SIGTERM')).toBe(0)
  })
})

/** Source of a Python node that notes each execution as a line, and goes on in the lines after. */
const noting = (path: string): string =>
  `def run(n):\n    with open(${JSON.stringify(path)}, "a") as log:\n        log.write(f"{n}\\n")\n`

/** A part of such a source: waits for a file. */
const untilFile = (path: string): string =>
  `    import os, time\n    while not os.path.exists(${JSON.stringify(path)}):\n        time.sleep(0.02)\n`

/** Source of a Python node that ends when 0 and 1 are executed at the same time. */
const meetingIn = (folder: string): string => `import pathlib, time
def run(n):
    here = pathlib.Path(${JSON.stringify(folder)})
    (here / f"met-{n}").touch()
    while not (here / f"met-{1 - n}").exists():
        time.sleep(0.02)
    return {"out": n}
`

/** Source of a Python node that tells of its begin and ends when a file is there. */
const waitingFor = (path: string): string => `import pathlib, time
def run(n):
    pathlib.Path(${JSON.stringify(`${path}.begun`)}).touch()
    while not pathlib.Path(${JSON.stringify(path)}).exists():
        time.sleep(0.02)
    return {"out": n}
`

/** Emits a curve and makes an artifact. */
const training = {
  ...pythonFlow(
    'def run(n):\n    for i in range(n):\n        emit(loss=1 / (i + 1))\n    return {"out": save_artifact(b"model", name="model.bin")}\n',
  ),
}
training.nodes[0]?.ports.push({ direction: 'output', name: 'loss', dtype: 'float', stream: true } as never)

const linesOf = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

const statusOf = async ({ client }: EngineProcess, id: string): Promise<string> =>
  (await client.http.runs.get({ id })).status

/** Executes a flow and tells how that ended. */
async function finished({ client }: EngineProcess, name: string): Promise<string> {
  const { id } = await client.http.runs.submit({ name })
  return (await client.wait(id)).status
}

/** What a signed-in user finds at an engine. */
async function everything({ baseUrl }: EngineProcess, id: string) {
  const anyone = createClient({ baseUrl })
  const { access_token: token } = await anyone.login.accessToken({
    username: 'root@example.org',
    password: 'correct horse',
  } as never)
  const client = createClient({ baseUrl, token })
  const run = await client.http.runs.get({ id })
  const [model] = artifactRefsIn(run.result)
  return {
    user: await client.users.me(),
    flows: await client.flows.list(),
    run,
    curves: await client.http.runs.metrics({ id, stride: 1 }),
    messages: await client.messages.list(),
    history: await client.http.messages.history({ message: 'meter.level' }),
    bytes: await ((await client.http.artifacts.get({ digest: model?.digest ?? '' })) as unknown as Blob).text(),
  }
}
