/**
 * Three engine processes on one PostgreSQL server, which a seed lets fail in all ways one after the other, while requests go
 * to any of them and a ledger outside is told who acts.
 *
 * - many-engines.M1 at no time do two engines act for a flow.
 * - many-engines.M2 of a durable webhook, what was promised is in the history once; what was refused is not.
 * - many-engines.M3 no flow is silent for longer than its engine, or the database, is away, a lease, and a start.
 * - many-engines.M4 nobody is answered that the engine has failed, or that a flow is not there which is to run.
 * - many-engines.M5 at the end all engines live, and each flow is run by one of them.
 * - many-engines.M6 what was promised reaches the readers of a webhook, at whatever engine: it is told to the ledger, or a dead
 *   letter, as telling may not be repeated.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect } from 'vitest'

import { type Owners, ownersOf, silenceOf } from './acts-of-owners.ts'
import { LinkProxy } from './components/link-proxy.ts'
import type { PostgresServer } from './components/postgres.ts'
import { deadLetters } from './dead-letters.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { HookBook } from './hook-book.ts'
import { Ledger } from './ledger.ts'
import { changing, documents, hooks, readers, tickers, timers } from './many-engines-flows.ts'
import { ManyRequests } from './many-engines-requests.ts'

/** The shortest that the setting takes. */
export const LEASE_MS = 2_000
const ENGINES = 3
const program = join(import.meta.dirname, 'components', 'telling-service.ts')
/** Flows go on within that time of the end of a fault, however slow the machine. */
const MOST_SILENT_MS = 90_000
const PATIENCE = { timeout: MOST_SILENT_MS, interval: 50 }

/** What is done to engines, links or the database. */
export const faults = ['kill', 'end', 'stop', 'restart', 'outage', 'cut', 'late'] as const
export type Fault = (typeof faults)[number]

/** A place for one engine after the other. */
interface Place {
  readonly data: DataDirectory
  readonly proxy: LinkProxy
  /** Null while none lives there, or it stands still. */
  engine: EngineProcess | null
}

/** What came of it. */
export interface Outcome extends Owners {
  /** Flows that were published, stopped and started, or renamed. */
  readonly changes: number
  readonly promised: number
  readonly refused: number
  readonly unknown: number
  readonly counted: number
  /** What was promised and is not in the history. */
  readonly lost: string[]
  /** Readers that were not told of what was promised once all was quiet. */
  readonly unread: string[]
  /** How much was promised that readers have not told the ledger: what a fault cut off as it was told is a dead letter. */
  readonly missed: number
  /** What was promised to a reader and is neither told nor a dead letter, its own or that of its webhook (many-engines.M6). */
  readonly unaccounted: string[]
  readonly repeated: string[]
  readonly unexpected: string[]
  /** Flows that did not go on after a fault. */
  readonly silent: string[]
  /** What engines say that do not all live, or of flows that not one of them runs (many-engines.M5). */
  readonly unowned: string[]
  /** In milliseconds. */
  readonly longestSilenceMs: number
  /** Answers that nobody should have had. */
  readonly wrongAnswers: string[]
  /** Errors in the logs of the engines, but those of a database that is away. */
  readonly errors: string[]
  /** Writes that engines have refused as others had taken the flow; of those that live at the end. */
  readonly refusedWrites: number
}

interface Chosen {
  readonly server: PostgresServer
  readonly env: NodeJS.ProcessEnv
  /** Chooses moments and places: 0 ≤ x < 1. */
  readonly random: () => number
}

/** The engines, and all that is told of them. */
export class ManyEngines implements AsyncDisposable {
  readonly #chosen: Chosen
  readonly #ledger: Ledger
  readonly #places: readonly Place[]
  readonly #requests: ManyRequests
  readonly #books = [...hooks, changing.hook].map((flow) => new HookBook(flow))
  readonly #stops = new Map<number, number[]>()
  readonly #silent: string[] = []
  readonly #engines: EngineProcess[] = []

  private constructor(chosen: Chosen, ledger: Ledger, places: readonly Place[]) {
    this.#chosen = chosen
    this.#ledger = ledger
    this.#places = places
    const living = (): EngineProcess[] => places.flatMap(({ engine }) => engine ?? [])
    this.#requests = new ManyRequests({ living, books: this.#books, documents: documents(ledger.url), ...chosen })
  }

  /** Three engines, and the flows, which run. */
  static async open(chosen: Chosen): Promise<ManyEngines> {
    const places = await Promise.all(
      Array.from({ length: ENGINES }, async () => ({
        data: new DataDirectory(),
        proxy: await LinkProxy.open(),
        engine: null,
      })),
    )
    const many = new ManyEngines(chosen, await Ledger.open(() => 0), places)
    for (const place of places) await many.#start(place)
    const { client } = many.#any()
    for (const [name, document] of documents(many.#ledger.url)) {
      await publishFlow(client, name, document(0))
      await client.http.flows.start({ name })
    }
    await many.#goneOn('the start', Date.now())
    many.#requests.begin()
    return many
  }

  /** Does it, and waits until all flows go on. */
  async fail(fault: Fault): Promise<void> {
    const { server } = this.#chosen
    const fromMs = Date.now()
    if (fault === 'kill' || fault === 'end') await this.#replace(fault === 'kill' ? 'SIGKILL' : 'SIGTERM')
    else if (fault === 'stop') await this.#standStill()
    else if (fault === 'restart' || fault === 'outage') {
      await server.crash()
      if (fault === 'outage') await this.#while(LEASE_MS * (1 + this.#chosen.random()))
      await server.start()
    } else {
      const { proxy } = this.#one(this.#places)
      proxy.way = fault === 'cut' ? { kind: 'cut' } : { kind: 'late', byMs: 50 + this.#chosen.random() * 300 }
      await this.#while(LEASE_MS * this.#chosen.random() * 1.5)
      proxy.way = { kind: 'open' }
    }
    await this.#goneOn(`${fault} after ${Date.now() - fromMs} ms`, Date.now())
    await this.#readBooks()
  }

  /** In one line, how it is. */
  progress(): string {
    const { acts, moves, doubled, overtaken } = ownersOf(this.#ledger.entries, this.#stops)
    const told = (['promised', 'refused', 'unknown'] as const).map(
      (answer) => `${this.#books.reduce((sum, book) => sum + book.count(answer), 0)} ${answer}`,
    )
    return `${acts} acts, ${moves} moves, ${doubled.length} doubled, ${overtaken.length} overtaken; ${told.join(', ')}; silence ${this.#silence()} ms`
  }

  /** Ends the requests, and waits for what is under way. */
  async settle(): Promise<Outcome> {
    await this.#requests.end()
    const unowned = await settled(() => this.#unowned())
    const lost = async (): Promise<string[]> => {
      await this.#readBooks()
      return this.#books.flatMap((book) => book.lost())
    }
    await settled(lost)
    const last = await this.#requests.knockAll()
    const unread = await settled(async () => readers.filter((reader, at) => !this.#toldTo(reader).has(last[at])))
    const unaccounted = await settled(() => this.#unaccounted())
    const missing = await lost()
    const all = await Promise.all(this.#places.map(async ({ engine }) => engine?.client.http.engines.list()))
    const sum = (answer: 'promised' | 'refused' | 'unknown'): number =>
      this.#books.reduce((total, book) => total + book.count(answer), 0)
    return {
      ...ownersOf(this.#ledger.entries, this.#stops),
      changes: this.#requests.changes,
      promised: sum('promised'),
      refused: sum('refused'),
      unknown: sum('unknown'),
      counted: this.#books.reduce((total, book) => total + book.counted, 0),
      lost: missing,
      unread,
      missed: readers.reduce((total, reader) => total + this.#missed(reader).length, 0),
      unaccounted,
      repeated: this.#books.flatMap((book) => book.repeated()),
      unexpected: this.#books.flatMap((book) => book.unexpected()),
      silent: [...this.#silent, ...this.#longSilent()],
      unowned,
      longestSilenceMs: this.#silence(),
      wrongAnswers: this.#requests.wrong,
      errors: [...new Set(this.#engines.flatMap(({ output }) => errorsIn(output())))],
      refusedWrites: all.reduce((total, found) => total + (found?.refused_writes ?? 0), 0),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requests.end()
    for (const { data, proxy } of this.#places) {
      data[Symbol.dispose]()
      await proxy[Symbol.asyncDispose]()
    }
    await this.#ledger[Symbol.asyncDispose]()
  }

  async #start(place: Place): Promise<void> {
    const [first] = this.#places
    const engine = await place.data.start(
      {
        ...this.#chosen.env,
        NODE_COMPILE_CACHE: join(tmpdir(), 'flow-service-compiled'),
        SERVICE_ARTIFACTS_DIR: join(first?.data.path ?? '', 'shared'),
        SERVICE_ENGINE_LEASE_S: String(LEASE_MS / 1000),
        SERVICE_ENGINE_URL: place.proxy.url,
      },
      '0',
      program,
    )
    place.proxy.leadTo(Number(new URL(engine.origin).port))
    place.engine = engine
    this.#engines.push(engine)
  }

  /** An engine ends, and another one starts in its place, at once or when its flows go on elsewhere. */
  async #replace(signal: NodeJS.Signals): Promise<void> {
    const place = this.#one(this.#places)
    const { engine } = place
    place.engine = null
    const code = await engine?.end(signal)
    if (signal === 'SIGTERM' && code !== 0) this.#silent.push(`an engine ended with ${code} in place of 0`)
    if (this.#chosen.random() < 0.5) await this.#goneOn(signal, Date.now())
    await this.#start(place)
  }

  /** An engine stands still for longer than its lease. */
  async #standStill(): Promise<void> {
    const place = this.#one(this.#places)
    const { engine } = place
    if (engine === null) return
    place.engine = null
    const pid = engine.child.pid ?? 0
    this.#stops.set(pid, [...(this.#stops.get(pid) ?? []), Date.now()])
    engine.child.kill('SIGSTOP')
    await this.#while(LEASE_MS * (1.2 + this.#chosen.random()))
    engine.child.kill('SIGCONT')
    place.engine = engine
  }

  /** Waits until all that ticks has acted since then; notes what does not. */
  async #goneOn(after: string, sinceMs: number): Promise<void> {
    const silent = (): string[] => {
      const acted = new Set<string>()
      for (let at = this.#ledger.entries.length - 1; (this.#ledger.entries[at]?.atMs ?? 0) >= sinceMs; at--)
        acted.add(this.#ledger.entries[at]?.path ?? '')
      return [...tickers, ...timers].filter((name) => !acted.has(`/${name}`))
    }
    const left = await settled(async () => silent())
    this.#silent.push(...left.map((name) => `${name} after ${after}`))
  }

  /** What engines say that is not as it should be: all live, and each flow is run by one of them. */
  async #unowned(): Promise<string[]> {
    const flows = documents('').size
    const told = await Promise.all(
      this.#places.map(async ({ engine }, at) => {
        const found = await engine?.client.http.engines.list()
        const run = found?.engines.reduce((sum, each) => sum + each.flows, 0)
        const isSound = found?.engines.length === ENGINES && run === flows && found.flows.nowhere === 0
        return isSound ? [] : [`engine ${at}: ${JSON.stringify(found)}`]
      }),
    )
    return told.flat()
  }

  #toldTo(reader: string): Set<unknown> {
    return new Set(this.#ledger.entries.flatMap(({ path, values }) => (path === `/${reader}` ? [values['value']] : [])))
  }

  /** Promised values of its webhook that a reader has not told the ledger. */
  #missed(reader: string): number[] {
    const told = this.#toldTo(reader)
    return (this.#books[readers.indexOf(reader)]?.promised() ?? []).filter((n) => !told.has(n))
  }

  /** Those of them that no dead letter tells of: an arrival that was taken up too often is one of the webhook. */
  async #unaccounted(): Promise<string[]> {
    const engine = this.#any()
    const found = await Promise.all(
      readers.map(async (reader, at) => {
        const letters = await Promise.all([reader, hooks[at]].map((flow) => deadLetters(engine, flow)))
        const given = new Set<unknown>(letters.flat().map(({ value }) => value))
        return this.#missed(reader).flatMap((n) => (given.has(n) ? [] : [`${reader} ${n}`]))
      }),
    )
    return found.flat()
  }

  /** Reads the history, also just after the database was away. */
  async #readBooks(): Promise<void> {
    await settled(async () => {
      const { client } = this.#any()
      const read = await Promise.allSettled(this.#books.map((book) => book.read(client)))
      return read.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
    })
  }

  #longSilent(): string[] {
    const long = [...tickers, ...timers].filter(
      (name) => silenceOf(this.#ledger.entries, `/${name}`).ms > MOST_SILENT_MS,
    )
    return long.map((name) => `${name} for more than ${MOST_SILENT_MS} ms`)
  }

  #silence(): number {
    return Math.max(...[...tickers, ...timers].map((name) => silenceOf(this.#ledger.entries, `/${name}`).ms))
  }

  #any(): EngineProcess {
    return this.#one(this.#places.flatMap(({ engine }) => engine ?? []))
  }

  #one<T>(of: readonly T[]): T {
    const one = of[Math.floor(this.#chosen.random() * of.length)]
    if (one === undefined) throw new Error('no engine lives')
    return one
  }

  /** How long a fault lasts. */
  #while(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }
}

/** Waits until nothing is missing, or for long; answers what was missing last. */
async function settled(missing: () => Promise<string[]>): Promise<string[]> {
  let last: string[] | null = null
  await expect
    .poll(async () => (last = await missing()), PATIENCE)
    .toEqual([])
    .catch((error: unknown) => {
      if (last === null) throw error
    })
  return last ?? []
}

/** Why statements fail while the database is away, or writes while the lease is over. */
const isAway =
  /ECONNRE|CONNECTION_|CONNECT_TIMEOUT|accepting connections|starting up|shutting down|terminat|database|lease of this engine is over/

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly err?: { readonly message: string }
  /** In place of an error. */
  readonly reason?: string
}

function errorsIn(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    const { level, msg, err, reason = '' } = JSON.parse(line) as LogLine
    const why = err?.message ?? reason
    return level < 50 || isAway.test(why) ? [] : [`${msg}: ${why}`]
  })
}
