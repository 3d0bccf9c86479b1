/** A program and the engine that its run is tracked at, killed in turn. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { describe, test } from 'vitest'

import { nodeArguments } from './components/node-arguments.ts'
import { hasPostgres } from './components/postgres.ts'
import { type JournalEntry, readJournal } from './components/tracked-program.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { useServerDatabases } from './server-databases.ts'

const kills = chosenKills(4)
const seed = chosenSeed()
const timeout = 120_000 + kills * 15_000

/** The program, which goes on from its journal. */
class Program {
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown[]>
  #heard = 0
  #wanted: { readonly count: number; readonly resolve: () => void } | null = null
  #errors = ''

  constructor(dataDir: string, journal: string) {
    cutTornLine(journal)
    const script = join(import.meta.dirname, 'components', 'tracked-program.ts')
    this.#child = spawn(process.execPath, [...nodeArguments, script, dataDir, journal])
    this.#exit = once(this.#child, 'exit')
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text))
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#heard += text.split('acknowledged').length - 1
      if (this.#wanted && this.#heard >= this.#wanted.count) this.#wanted.resolve()
    })
  }

  /** Resolves when it has had so many more answers; rejects when it has failed. */
  async acknowledged(more: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wanted = { count: this.#heard + more, resolve }
    const failed = this.#exit.then(() => Promise.reject(new Error(`the program ended: ${this.#errors}`)))
    await Promise.race([promise, failed])
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  /** Lets it end its run. */
  async end(): Promise<void> {
    this.#child.stdin?.end()
    const [code] = await this.#exit
    if (code !== 0) throw new Error(`the program ended with ${String(code)}: ${this.#errors}`)
  }
}

/** What was being written when the program was killed was not logged. */
function cutTornLine(path: string): void {
  if (!existsSync(path)) return
  const text = readFileSync(path)
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(path, end)
}

/** What of a run is not as the journal has it. */
async function faults({ client }: EngineProcess, id: string, entries: readonly JournalEntry[]): Promise<string[]> {
  const wrong: string[] = []
  const curves = await client.http.runs.metrics({ id, points: 20_000 })
  for (const name of ['loss', 'acc']) {
    const logged = entries.flatMap(({ metrics }) => metrics.filter((one) => one.name === name))
    const steps = logged.flatMap((one) => one.steps)
    const values = logged.flatMap((one) => one.values)
    const stored = curves.find((curve) => curve.name === `fit.${name}`)
    const shown = stored && 'x' in stored ? stored : null
    if (steps.length > 20_000) {
      if (stored?.count !== steps.length) wrong.push(`${name} has ${stored?.count} points, and not ${steps.length}`)
    } else if (JSON.stringify([shown?.x, shown?.y]) !== JSON.stringify([steps, values])) {
      wrong.push(`${name} has other points than the ${steps.length} that were logged: ${stored?.count}`)
    }
  }
  return wrong
}

async function underKills(name: string, env: NodeJS.ProcessEnv) {
  const random = randomFrom(seed)
  using data = new DataDirectory()
  const journal = join(data.path, 'journal')
  const id = '0198f6a0-0000-7000-8000-000000000001'
  writeFileSync(journal, `${JSON.stringify({ id })}\n`)
  const wrong: string[] = []
  let engine = await data.start(env)
  let program = new Program(data.path, journal)
  for (let kill = 0; kill < kills; kill += 1) {
    await program.acknowledged(1 + Math.floor(random() * 20))
    await delay(random() * 20)
    if (kill % 2 === 0) {
      await program.kill()
      program = new Program(data.path, journal)
    } else {
      await engine.end('SIGKILL')
      engine = await data.start(env)
      const { status } = await engine.client.http.runs.get({ id })
      if (status !== 'running') wrong.push(`after kill ${kill} the run is ${status}`)
    }
  }
  await program.acknowledged(1)
  await program.end()
  const { entries } = readJournal(journal)
  const run = await engine.client.http.runs.get({ id })
  if (run.status !== 'ok') wrong.push(`the run ended ${run.status}`)
  wrong.push(...(await faults(engine, id, entries)))
  await engine.end('SIGTERM')
  console.log(`${name}: SEED=${seed} KILLS=${kills}: ${entries.length} requests`)
  return { wrong, isEnough: entries.length > kills }
}

const sound = { wrong: [], isEnough: true }

describe.concurrent('a program and its engine that are killed in turn, again and again', () => {
  test(
    'lose no point that was logged, double none, and their run goes on: embedded',
    async ({ expect }) => expect(await underKills('embedded', {})).toEqual(sound),
    timeout,
  )

  describe.skipIf(!hasPostgres())('on a PostgreSQL server', () => {
    const databases = useServerDatabases()

    test(
      'lose no point that was logged, double none, and their run goes on: server',
      async ({ expect }) => expect(await underKills('server', await databases.env('track'))).toEqual(sound),
      timeout,
    )
  })
})
