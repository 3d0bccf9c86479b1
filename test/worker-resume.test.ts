/** A worker process whose line to the engine breaks again and again, while its calls go on. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { startAgent } from './agent-process.ts'
import { python } from './components/pythons.ts'
import { publishFlow } from './documents.ts'
import { startService } from './service.ts'

const CUTS = process.env['SOAK'] ? 50 : 20
const CALLS = 4
const WAIT_MS = 300_000

/** Counts on until a file says to stop; both stages note that they have begun. */
const counting = `import os, time
def run(n, folder):
    with open(os.path.join(folder, "begun"), "a") as f:
        f.write(f"count {n} {os.getpid()}\\n")
    said = 0
    while not os.path.exists(os.path.join(folder, "stop")):
        emit({"said": said})
        said += 1
        if said % 50 == 0:
            assert load_artifact(save_artifact(f"{n} {said}".encode())) == f"{n} {said}".encode()
        time.sleep(0.005)
    return {"total": said}
`
const after = `import os
def run(total, folder):
    with open(os.path.join(folder, "begun"), "a") as f:
        f.write(f"after {total} {os.getpid()}\\n")
    return {"out": total}
`

const port = (direction: string, name: string, dtype: string, more: object = {}) => ({
  direction,
  name,
  dtype,
  ...more,
})
const flowIn = (folder: string) => {
  const node = { type: 'python', worker: 'far', cache: false, settings: { folder } }
  return {
    mode: 'batch',
    inputs: [{ name: 'n', dtype: 'int', initial: 0 }],
    outputs: [{ name: 'out' }],
    nodes: [
      {
        ...node,
        id: 'count',
        source: counting,
        ports: [
          port('input', 'n', 'int'),
          port('output', 'said', 'int', { stream: true }),
          port('output', 'total', 'int'),
        ],
      },
      { ...node, id: 'after', source: after, ports: [port('input', 'total', 'int'), port('output', 'out', 'int')] },
    ],
  }
}

interface Point {
  readonly run: string
  readonly step: number
  readonly value: number
}

/** A line to the engine that breaks after random numbers of bytes, so many times, in whichever direction they go. */
async function brittleLine(to: number, budgets: number[]) {
  const sockets = new Set<Socket>()
  let isHeld = false
  let cuts = 0
  let left = Number.POSITIVE_INFINITY
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const passed = (bytes: number): void => {
    left -= bytes
    if (left > 0) return
    cuts += 1
    left = budgets[cuts] ?? Number.POSITIVE_INFINITY
    cut()
  }
  const server = createServer((near) => {
    if (isHeld) return void near.destroy()
    const far = connect(to, '127.0.0.1')
    // artifacts go beside it, and are cut with it
    let isLink = false
    near.once('data', (data) => (isLink = data.includes('/workers/attach')))
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
      socket.on('data', (data) => {
        other.write(data)
        if (isLink) passed(data.length)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    begin: () => void (left = budgets[0] ?? 0),
    cuts: () => cuts,
    hold(held: boolean) {
      isHeld = held
      if (held) cut()
    },
  }
}

describe.skipIf(python === null)('a worker whose line breaks', () => {
  test(
    'goes on with its calls: each result counts once, no stage is executed twice, and what is cancelled meanwhile ends',
    { timeout: WAIT_MS },
    async () => {
      const seed = Number(process.env['CUT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
      console.log(`cuts of seed ${seed} (CUT_SEED)`)
      const [budgets = []] = fc.sample(
        fc.array(fc.integer({ min: 1, max: 12_000 }), { minLength: CUTS, maxLength: CUTS }),
        { seed, numRuns: 1 },
      )
      const folder = mkdtempSync(join(tmpdir(), 'cuts-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      await using at = await startService({ workerResumeS: 300 })
      const line = await brittleLine(Number(new URL(at.origin).port), budgets)
      const agent = await startAgent(
        { client: at.client, baseUrl: at.baseUrl.replace(/:\d+/, `:${line.port}`) },
        'far',
        { args: ['--parallel', String(CALLS)] },
      )
      const waitUntil = async (what: string, look: () => boolean | Promise<boolean>): Promise<void> => {
        await vi.waitUntil(look, { timeout: WAIT_MS, interval: 50 }).catch(() => {
          throw new Error(`${what}: never; cuts: ${line.cuts()}; the worker:\n${agent.output()}`)
        })
      }
      await publishFlow(at.client, 'counts', flowIn(folder))
      const runs = []
      for (let n = 0; n < CALLS; n++)
        runs.push((await at.client.http.runs.submit({ name: 'counts', params: { n } })).id)
      const begun = () =>
        existsSync(join(folder, 'begun')) ? readFileSync(join(folder, 'begun'), 'utf8').trim().split('\n') : []
      await waitUntil('all counts begin', () => begun().length === CALLS)
      line.begin()
      await waitUntil('all cuts are made', () => line.cuts() === CUTS)

      line.hold(true)
      const cancelled = runs.at(-1) ?? ''
      await at.client.http.runs.cancel({ id: cancelled })
      await waitUntil(
        'the run is cancelled',
        async () => (await at.client.http.runs.get({ id: cancelled })).status === 'cancelled',
      )
      const pid = Number(/count 3 (\d+)/.exec(begun().join('\n'))?.[1])
      expect(isAlive(pid)).toBe(true)
      line.hold(false)
      await waitUntil('the process of the cancelled call ends', () => !isAlive(pid))

      writeFileSync(join(folder, 'stop'), '')
      const ended = []
      for (const id of runs) ended.push(await at.client.wait(id))
      const response = await fetch(`${at.baseUrl}/runs/export/metrics?format=jsonl`, {
        headers: { authorization: `Bearer ${at.token}` },
      })
      const points = (await response.text())
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as Point)
      for (const { id, status, result } of ended) {
        const said = points.flatMap((point) => (point.run === id ? [[point.step, point.value]] : []))
        expect(said).toEqual(said.map((_, at) => [at, at]))
        expect([status, result]).toEqual(id === cancelled ? ['cancelled', null] : ['ok', { out: said.length }])
      }
      const stages = begun().map((text) => text.split(' ')[0])
      expect(stages.filter((stage) => stage === 'count')).toHaveLength(CALLS)
      expect(stages.filter((stage) => stage === 'after')).toHaveLength(CALLS - 1)
    },
  )
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
