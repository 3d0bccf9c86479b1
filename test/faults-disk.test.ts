import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { ApiError } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { SmallDisk } from './components/small-disk.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'

const full = { status: 503, problem: { code: 'unavailable', detail: expect.stringContaining('disk') as string } }

/** Saves larger and larger documents until one is refused; resolves with the version that was kept, and the refusal. */
async function fillDocuments({ client }: EngineProcess, kept: number) {
  let version = kept
  for (let n = 0; n < 5_000; n++) {
    const flowDocument = { title: `title ${n}`, description: randomBytes(14_000).toString('base64') }
    try {
      const saved = await client.http.flows.save({
        name: 'growing',
        flowDocument: { ...flowDocument, version } as never,
      })
      version = saved.version
    } catch (refusal) {
      return { version, refusal: refusal as ApiError }
    }
  }
  throw new Error('nothing was refused')
}

test('on a full disk writes and uploads are 503 and leave nothing, reads are answered, and all goes on when there is space [F23, F24]', async () => {
  using disk = new SmallDisk(128)
  using data = new DataDirectory(join(disk.path, 'data'))
  const engine = await data.start(disk.env)
  const { client } = engine
  await publishFlow(client, 'scale', scaleFlow)
  const { id } = await client.http.runs.submit({ name: 'scale' })
  await client.wait(id)
  const bytes = randomBytes(100_000)
  const stored = await client.upload(bytes, { name: 'kept' })
  const { version: first } = await client.http.flows.save({ name: 'growing', flowDocument: {} })
  disk.fill()

  await expect(client.upload(randomBytes(2_000_000), { name: 'too much' })).rejects.toMatchObject(full)
  expect(readdirSync(join(data.path, 'artifacts', 'tmp'))).toEqual([])
  const { version, refusal } = await fillDocuments(engine, first)
  expect(refusal).toMatchObject(full)

  expect((await client.http.flows.get({ name: 'growing' })).version).toBe(version)
  expect((await client.http.runs.get({ id })).status).toBe('ok')
  expect(await client.runs.list()).toHaveLength(1)
  const found = (await client.http.artifacts.get({ digest: stored.digest })) as unknown as Blob
  expect(Buffer.from(await found.arrayBuffer()).equals(bytes)).toBe(true)
  // what ends by itself when there is space is no reason to start the engine anew
  expect((await fetch(`${engine.origin}/healthz`)).status).toBe(200)

  disk.free()
  await expect.poll(() => client.upload(randomBytes(2_000_000), { name: 'later' })).toBeTruthy()
  const next = await client.http.runs.submit({ name: 'scale' })
  expect((await client.wait(next.id)).status).toBe('ok')
  expect(await engine.end('SIGTERM')).toBe(0)
})

test('an engine whose disk confirms nothing acknowledges nothing, ends with what happened, and loses nothing [F25]', async () => {
  using disk = new SmallDisk(128)
  using data = new DataDirectory(join(disk.path, 'data'))
  const engine = await data.start(disk.env)
  const { client } = engine
  await publishFlow(client, 'scale', scaleFlow)
  let told = ''
  engine.child.stderr?.on('data', (text: string) => (told += text))
  // with all that it has said
  const closed = once(engine.child, 'close')
  disk.failSyncs()
  // the engine may be gone before it answers
  const refused = (request: Promise<unknown>): Promise<unknown> =>
    request.then(
      () => 'acknowledged',
      (error: unknown) => (error instanceof ApiError ? error.status : 'gone'),
    )
  expect([503, 'gone']).toContain(await refused(client.upload(randomBytes(1_000), { name: 'lost' })))
  expect([503, 'gone']).toContain(await refused(client.http.flows.save({ name: 'lost', flowDocument: {} })))
  const [code] = (await closed) as [number | null]
  expect(code).toBe(1)
  expect(told).toContain('the disk did not confirm a write')

  disk.healSyncs()
  const again = await data.start(disk.env)
  expect((await again.client.flows.list()).map(({ name }) => name)).toContain('scale')
  expect(await again.end('SIGTERM')).toBe(0)
})

test('an engine that has no room to start says which directory is full and what to do, and starts when there is room [F23]', async () => {
  using disk = new SmallDisk(128)
  using data = new DataDirectory(join(disk.path, 'data'))
  const advice = new RegExp(
    `error: the disk of the data directory ${data.path} is full \\(\\d+ MB are left\\): free .*--data or SERVICE_DATA_DIR\n$`,
  )
  disk.fill()
  await expect(data.start(disk.env)).rejects.toThrow(advice)
  disk.free()
  expect(await (await data.start(disk.env)).end('SIGTERM')).toBe(0)
  // what was kept back for the log of the database is gone
  rmSync(join(data.path, 'db.reserve'), { force: true })
  disk.fill()
  await expect(data.start(disk.env)).rejects.toThrow(advice)
  disk.free()
  expect(await (await data.start(disk.env)).end('SIGTERM')).toBe(0)
})
