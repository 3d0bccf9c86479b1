/** Writers that note what was acknowledged, while their engine is killed again and again. */
import { randomBytes } from 'node:crypto'

import { publishFlow, scaleFlow } from './documents.ts'
import type { DataDirectory, EngineProcess } from './engine-process.ts'

const ROUNDS = 4
const LANES = 4
const meter = { mode: 'live', inputs: [{ name: 'level', dtype: 'int' }] }

/**
 * What was acknowledged: the documents that were saved with their versions, runs, bytes by their digest, and the last
 * published value.
 */
interface Acknowledged {
  readonly stored: Map<string, Buffer>
  readonly saved: Map<string, number>
  readonly submitted: Set<string>
  level: number | null
}

/**
 * Kills four engines, one after the other on the same data, in the middle of writes. Resolves with how many writes were
 * acknowledged, and which of them a later engine did not know any more.
 */
export async function writeUnderKills(
  data: DataDirectory,
  env: NodeJS.ProcessEnv = {},
): Promise<{ acknowledged: number; lost: string[] }> {
  const done: Acknowledged = { saved: new Map(), submitted: new Set(), stored: new Map(), level: null }
  const lost: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const engine = await data.start(env)
    if (round === 0) {
      await publishFlow(engine.client, 'scale', scaleFlow)
      await publishFlow(engine.client, 'meter', meter)
    }
    lost.push(...(await missing(engine, done)))
    await writeUntilKilled(engine, done, round)
  }
  const last = await data.start(env)
  lost.push(...(await missing(last, done)))
  for (const id of done.submitted) {
    const { status } = await last.client.wait(id)
    if (status !== 'ok' && status !== 'abandoned') lost.push(`run ${id} ended ${status}`)
  }
  await last.end('SIGTERM')
  return { acknowledged: done.saved.size + done.submitted.size + done.stored.size, lost }
}

async function writeUntilKilled(engine: EngineProcess, done: Acknowledged, round: number): Promise<void> {
  const { client } = engine
  const until = 15 + round * 10
  let count = 0
  const write = async (lane: number): Promise<never> => {
    for (let at = 0; ; at++) {
      const name = `f${round}_${lane}_${at}`
      const { version } = await client.flows.save({ name, flowDocument: { title: name } })
      done.saved.set(name, version)
      const { id } = await client.runs.submit({ name: 'scale', params: { n: at } as never })
      done.submitted.add(id)
      const bytes = randomBytes(20_000)
      done.stored.set(await store(engine, bytes), bytes)
      if (lane === 0) {
        const level = round * 1_000_000 + at
        await client.messages.publish({ message: 'meter.level', value: level as never })
        done.level = level
      }
      if (++count === until) void engine.end('SIGKILL')
    }
  }
  await Promise.allSettled(Array.from({ length: LANES }, (_, lane) => write(lane)))
  await engine.end('SIGKILL')
}

const bearer = ({ token }: EngineProcess) => ({ authorization: `Bearer ${token}` })

/** Resolves with the digest. */
async function store(engine: EngineProcess, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const answer = await fetch(`${engine.baseUrl}/artifacts`, { method: 'PUT', headers: bearer(engine), body })
  const { digest } = (await answer.json()) as { digest: string }
  return digest
}

async function isStored(engine: EngineProcess, [digest, bytes]: [string, Buffer]): Promise<boolean> {
  const answer = await fetch(`${engine.baseUrl}/artifacts/${digest}`, { headers: bearer(engine) })
  return bytes.equals(Buffer.from(await answer.arrayBuffer()))
}

async function missing(engine: EngineProcess, { saved, submitted, stored, level }: Acknowledged): Promise<string[]> {
  const { client } = engine
  const gone = await Promise.all([...stored].map(async (entry) => ((await isStored(engine, entry)) ? [] : [entry[0]])))
  const versions = new Map((await client.flows.list()).map((flow) => [flow.name, flow.version]))
  const found = await Promise.allSettled([...submitted].map((id) => client.runs.get({ id })))
  const shown = (await client.messages.list()).find(({ name }) => name === 'meter.level')?.value
  return [
    ...[...saved].filter(([name, version]) => versions.get(name) !== version).map(([name]) => `flow ${name}`),
    ...[...submitted].filter((_, at) => found[at]?.status !== 'fulfilled').map((id) => `run ${id}`),
    ...gone.flat().map((digest) => `bytes ${digest}`),
    ...(level !== null && !(Number(shown) >= level) ? [`value ${level}: ${JSON.stringify(shown)} is shown`] : []),
  ]
}
