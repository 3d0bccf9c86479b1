/** Runs that are submitted, one by one and as sweeps, while engines are killed. */
import { isFinished, type RunSummary } from '@flow-service/protocol'

import { publishFlow, pythonFlow } from './documents.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Ledger } from './ledger.ts'
import type { Load } from './under-kills.ts'

const SWEEP_RUNS = 4
const POINTS = 3
/** One of so many submissions executes Python, which takes its time. */
const CURVE_EVERY = 8
const PAGE = 500

/** Tells a ledger outside of the engine its number; must not do so twice. */
const teller = (url: string) => ({
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'int' }],
  nodes: [
    {
      id: 'tell',
      type: 'http',
      settings: { url: `${url}/tell` },
      ports: [{ direction: 'input', name: 'n', dtype: 'int' }],
    },
  ],
})

/** Tells its number from Python, and emits points. */
function curve(url: string) {
  const source = `import json, urllib.request
def run(n):
    for step in range(${POINTS}):
        emit(loss=step)
    body = json.dumps({"n": n}).encode()
    urllib.request.urlopen(urllib.request.Request("${url}/tell", body)).close()
    return {"out": n}
`
  const flow = pythonFlow(source)
  flow.nodes[0]?.ports.push({ direction: 'output', name: 'loss', dtype: 'float', stream: true } as never)
  return flow
}

interface Submission {
  readonly flow: 'tell' | 'curve'
  /** Its value, its seed and its idempotency key: by the seed it is found in lists. */
  readonly n: number
}

/** Submits runs by idempotency keys and sweeps; knows which were acknowledged, and how each ended when that was seen. */
export class RunLoad implements Load {
  readonly #ledger: Ledger
  readonly #acknowledged = new Set<string>()
  readonly #unanswered = new Map<number, Submission>()
  readonly #keys = new Map<string, string>()
  readonly #ends = new Map<string, string>()
  #next = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Runs that were seen to end `ok`. */
  get succeeded(): number {
    return [...this.#ends.values()].filter((end) => end.startsWith('ok ')).length
  }

  async setUp({ client }: EngineProcess): Promise<void> {
    await publishFlow(client, 'tell', teller(this.#ledger.url))
    await publishFlow(client, 'curve', curve(this.#ledger.url))
  }

  lanes({ client }: EngineProcess, acknowledged: () => void): Promise<never>[] {
    const submits = async (): Promise<never> => {
      for (;;) {
        const n = this.#next++
        await this.#submit(client, { flow: n % CURVE_EVERY === 0 ? 'curve' : 'tell', n })
        acknowledged()
      }
    }
    const sweeps = async (): Promise<never> => {
      for (;;) {
        const seeds = Array.from({ length: SWEEP_RUNS }, () => this.#next++)
        const { runs } = await client.http.runs.sweep({ name: 'tell', runs: seeds.map((n) => ({ n })), seeds })
        for (const { id } of runs) this.#acknowledged.add(id)
        acknowledged()
      }
    }
    return [submits(), submits(), sweeps()]
  }

  /** What had no answer is submitted again: the key finds the run, or there is none yet. */
  async check(engine: EngineProcess): Promise<string[]> {
    for (const submission of this.#unanswered.values()) await this.#submit(engine.client, submission)
    return this.#seen(engine, await engine.client.runs.list({ limit: PAGE }))
  }

  async settle(engine: EngineProcess): Promise<string[]> {
    const wrong = await this.check(engine)
    // leases of the last engine that was killed end after 30 s where engines share their database
    for (const { id } of await allRuns(engine, 'queued,running')) await engine.client.wait(id)
    const runs = await allRuns(engine)
    wrong.push(...(await this.#seen(engine, runs)))
    return [...wrong, ...this.#lost(runs), ...this.#torn(runs), ...this.#executions(runs)]
  }

  async #submit(client: EngineProcess['client'], submission: Submission): Promise<void> {
    const { flow, n } = submission
    this.#unanswered.set(n, submission)
    const key = `key ${n}`
    const { id } = await client.http.runs.submit({ name: flow, params: { n }, seed: n, idempotency_key: key })
    this.#unanswered.delete(n)
    this.#acknowledged.add(id)
    this.#keys.set(key, id)
  }

  /** An end is one of two, stays as it is, and has all its points when it can be seen. */
  async #seen({ client }: EngineProcess, runs: readonly RunSummary[]): Promise<string[]> {
    const wrong: string[] = []
    for (const { id, flow, status, finished_at: at, error } of runs) {
      if (!isFinished(status)) {
        if (this.#ends.has(id)) wrong.push(`run ${id} has ended, and is ${status} again`)
        continue
      }
      const end = `${status} ${at}`
      const known = this.#ends.get(id)
      if (known === end) continue
      this.#ends.set(id, end)
      if (known !== undefined) wrong.push(`run ${id} ended ${known}, then ${end}`)
      if (status !== 'ok' && status !== 'abandoned') wrong.push(`run ${id} ended ${status}: ${error?.message}`)
      if (flow !== 'curve' || status !== 'ok') continue
      const [series] = await client.http.runs.metrics({ id, stride: 1 })
      const steps = series?.points.map(({ step }) => step)
      if (JSON.stringify(steps) !== '[0,1,2]') wrong.push(`run ${id} has the points ${JSON.stringify(steps)}`)
    }
    return wrong
  }

  #lost(runs: readonly RunSummary[]): string[] {
    const found = new Set(runs.map(({ id }) => id))
    return [...this.#acknowledged].filter((id) => !found.has(id)).map((id) => `run ${id} is gone`)
  }

  /** A key has one run; a sweep is there whole, whether it was answered or not. */
  #torn(runs: readonly RunSummary[]): string[] {
    const groups = new Map<string, number>()
    const wrong: string[] = []
    for (const { id, group_id: group, idempotency_key: key } of runs) {
      if (group !== null) groups.set(group, (groups.get(group) ?? 0) + 1)
      else if (this.#keys.get(key ?? '') !== id) wrong.push(`run ${id} is a second one of ${key}`)
    }
    for (const [group, count] of groups) if (count !== SWEEP_RUNS) wrong.push(`sweep ${group} has ${count} runs`)
    return wrong
  }

  /** What ended ok was executed once, what was abandoned at most once. */
  #executions(runs: readonly RunSummary[]): string[] {
    const told = new Map<unknown, number>()
    for (const n of this.#ledger.told('/tell')) told.set(n, (told.get(n) ?? 0) + 1)
    return runs.flatMap(({ id, seed, status }) => {
      const times = told.get(seed) ?? 0
      const isRight = times === 1 || (times === 0 && status === 'abandoned')
      return isRight ? [] : [`run ${id} is ${status} and was executed ${times} times`]
    })
  }
}

async function allRuns({ client }: EngineProcess, status?: string): Promise<RunSummary[]> {
  const runs: RunSummary[] = []
  for (let before: string | undefined; ;) {
    const page = await client.http.runs.list({
      limit: PAGE,
      ...(status ? { status } : {}),
      ...(before ? { before } : {}),
    })
    runs.push(...page)
    before = page.at(-1)?.created_at
    if (page.length < PAGE) return runs
  }
}
