/** An engine with a provisioner on a real cluster: it comes and goes, and has one profile at a time. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runService } from './cli-process.ts'
import { freePort } from './components/free-port.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'

/** A cluster without jobs that executes what the engine hands in. */
export interface RealCluster {
  /** A folder of this machine that its jobs read and write, with programs for them in `bin`. */
  readonly directory: string
  /** Type, address and so on of a provisioner on it. */
  readonly settings: object
  /** What an engine needs for that. */
  readonly env: NodeJS.ProcessEnv
  /** What it alone knows of a profile. */
  profile(name: string): object
  /** Ids of the jobs of a profile that are not over, each once however many tasks it has. */
  jobs(profile: string): Promise<readonly string[]>
  /** Lets no further job begin. */
  hold(): Promise<void>
  release(): Promise<void>
  /** Whether a job that waits is gone once it is cancelled; else it ends instead of beginning. */
  readonly dropsWaiting: boolean
  /** What it refuses, and the words that it has for that. */
  readonly refused: { readonly settings?: object; readonly profile?: object; readonly words: string }
  /** Settings with which an engine does not hear of its job. */
  readonly deafSettings: object
  /** Settings with which an engine tries to cancel for ever. */
  readonly slowSettings: object
  stop(): Promise<void>
}

/** The profile that is in use, and what its flow does. */
export interface SiteOptions {
  readonly settings?: object
  readonly profile?: object
  /** Lines before those of the worker. */
  readonly prerun?: readonly string[]
  /** Python; `FOLDER` is one that the test sees too, `NAME` the profile. */
  readonly source?: string
}

const HURRIED = join(import.meta.dirname, 'components', 'hurried-service.ts')
const SOURCE = 'def run(n):\n    return {"out": {"n": n}}\n'

/** The engine looks at its cluster twenty times as often as usual, and does nothing else in another way. */
export class ProvisionedSite {
  readonly cluster: RealCluster
  readonly directory = new DataDirectory()
  readonly #port: number
  #engine: EngineProcess | null = null
  #name = ''

  private constructor(cluster: RealCluster, port: number) {
    this.cluster = cluster
    this.#port = port
  }

  static async open(cluster: RealCluster): Promise<ProvisionedSite> {
    const site = new ProvisionedSite(cluster, await freePort())
    // no npm there, and no Node: a program beside the worker's file stands for that of the cluster
    const bundled = await runService(['worker', 'bundle', '--out', site.at('bin/service-worker')], { cwd: tmpdir() })
    if (bundled.code !== 0) throw new Error(bundled.err)
    copyFileSync(process.execPath, site.at('bin/node'))
    mkdirSync(site.at('shared'))
    chmodSync(site.at('shared'), 0o777)
    return site
  }

  /** A place that jobs see as well. */
  at(path: string): string {
    return join(this.cluster.directory, path)
  }

  get client(): EngineProcess['client'] {
    if (this.#engine === null) throw new Error('no engine is running')
    return this.#engine.client
  }

  /** Has one profile from now on, whose name is also the label that its flow asks for. */
  async provide(name: string, { source = SOURCE, ...options }: SiteOptions = {}): Promise<void> {
    this.#name = name
    this.write(options)
    if (this.#engine === null) await this.start()
    else await this.client.workers.provisioners.reload()
    const code = source.replace('FOLDER', this.at('shared')).replaceAll('NAME', name)
    await publishFlow(this.client, name, pythonFlow(code, { worker: name, cache: false }))
  }

  write({ settings = {}, profile = {}, prerun = [] }: Omit<SiteOptions, 'source'> = {}): void {
    const { cluster } = this
    const name = this.#name
    const own = {
      name,
      cpus: 1,
      ram_mb: 200,
      labels: [name],
      ...cluster.profile(name),
      ...profile,
      prerun: [
        `export PATH='${this.at('bin')}':"$PATH" SERVICE_WORKER_FILES='${this.at('files')}'`,
        `export SERVICE_ARTIFACT_CACHE='${this.at('cache')}' NODE_COMPILE_CACHE='${this.at('compiled')}'`,
        ...prerun,
      ],
    }
    const engine_url = `ws://127.0.0.1:${this.#port}/api/v1/workers/attach`
    const all = { ...cluster.settings, name: 'c', engine_url, max_idle_s: 1, ...settings, profiles: [own] }
    writeFileSync(join(this.directory.path, 'provisioners.json'), JSON.stringify([all]))
  }

  async start(): Promise<void> {
    this.#engine = await this.directory.start(this.cluster.env, String(this.#port), HURRIED)
  }

  /** Ends the engine; its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const engine = this.#engine
    this.#engine = null
    return (await engine?.end(signal)) ?? null
  }

  /** Jobs of the profile that are not over. */
  jobs(): Promise<readonly string[]> {
    return this.cluster.jobs(this.#name)
  }

  /** How the profile fares. */
  async state() {
    return (await this.client.workers.resources()).provisioners[0]?.profiles[0]
  }

  /** Submits a run that waits for a worker; its id. */
  async run(n = 3): Promise<string> {
    return (await this.client.http.runs.submit({ name: this.#name, params: { n } })).id
  }

  /** Tokens of workers that count. */
  async tokens(): Promise<readonly object[]> {
    return (await this.client.workers.listTokens()).filter(({ revoked_at }) => revoked_at === null)
  }

  close(): void {
    this.directory[Symbol.dispose]()
  }
}
