/**
 * Starts the head of a real Ray for tests, with its dashboard, in a temporary directory: it takes jobs from whoever has its
 * token, and has as many processors as is said, whatever the machine has.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { freePort } from './free-port.ts'
import { plainRequest } from './plain-request.ts'
import { killProcessesWith } from './processes-of.ts'
import { pythonWith } from './python-packages.ts'

/** A job that is not over. */
export interface RayJob {
  readonly id: string
  readonly name: string
  /** `PENDING` or `RUNNING`. */
  readonly state: string
}

/** A running cluster of one node. */
export interface RayHead {
  /** A folder for files of jobs. */
  readonly directory: string
  /** Of its dashboard. */
  readonly address: string
  /** What its dashboard asks for. */
  readonly token: string
  /** Jobs that are not over. */
  queue(): Promise<RayJob[]>
  /** Lets no further job begin: another one has all processors. */
  hold(): Promise<void>
  release(): Promise<void>
  /** Ends everything, jobs too, and removes the files. */
  stop(): Promise<void>
}

/** Its sockets lie below its directory, and the names of sockets are short. */
const MAX_PATH = 40
/** It is a dozen processes of Python. */
const LIMIT_MS = 240_000
/** Ray has wheels for these. */
const HAS_WHEEL = ['linux x64', 'linux arm64', 'darwin arm64'].includes(`${process.platform} ${process.arch}`)

const findPython = (): string | null => pythonWith('ray', 'aiohttp_cors', 'opencensus', 'prometheus_client')

/** Whether tests can use a cluster; says so where they cannot. Throws without one where `CI` is set and Ray can be had. */
export function hasRay(): boolean {
  if (HAS_WHEEL) return findPython() !== null
  console.log(`skipped: Ray has no wheel for ${process.platform} ${process.arch}`)
  return false
}

/** Starts a cluster, and waits until it takes jobs. */
export async function startRay({ cpus = 4 }: { readonly cpus?: number } = {}): Promise<RayHead> {
  const python = findPython()
  if (python === null) throw new Error('there is no Python with Ray')
  const parent = os.tmpdir().length > MAX_PATH ? '/tmp' : os.tmpdir()
  const head = new Head(fs.mkdtempSync(path.join(parent, 'ray-')), cpus, await freePort())
  try {
    await head.start(python)
    return head
  } catch (error) {
    await head.stop()
    throw error
  }
}

class Head implements RayHead {
  readonly directory: string
  readonly address: string
  readonly token = randomBytes(32).toString('hex')
  readonly #cpus: number
  readonly #port: number
  #server: ChildProcess | null = null
  #holds = 0

  constructor(directory: string, cpus: number, port: number) {
    this.directory = directory
    this.#cpus = cpus
    this.#port = port
    this.address = `http://127.0.0.1:${port}`
  }

  async start(python: string): Promise<void> {
    const anyPort = [
      'port',
      'dashboard-agent-listen-port',
      'dashboard-agent-grpc-port',
      'metrics-export-port',
      'min-worker-port',
      'max-worker-port',
    ]
    const options = [
      '--head',
      '--block',
      '--disable-usage-stats',
      '--include-dashboard=true',
      '--dashboard-host=127.0.0.1',
      `--dashboard-port=${this.#port}`,
      `--num-cpus=${this.#cpus}`,
      '--num-gpus=0',
      '--memory=4000000000',
      `--object-store-memory=${80 * 1024 * 1024}`,
      `--temp-dir=${this.directory}/t`,
      ...anyPort.map((option) => `--${option}=0`),
    ]
    const log = fs.openSync(path.join(this.directory, 'ray.log'), 'a')
    const main = 'import sys; from ray.scripts.scripts import main; sys.exit(main())'
    this.#server = spawn(python, ['-c', main, 'start', ...options], {
      cwd: this.directory,
      env: { ...process.env, FLOW_SERVICE_RAY: this.directory, RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: this.token },
      stdio: ['ignore', log, log],
    })
    fs.closeSync(log)
    await this.#until('the dashboard answers', () => this.#request('/api/version').then(Boolean, () => false))
    // the first job comes when all parts of the head have found each other
    await this.#submit('first', 'true', 0)
    await this.#ended('first')
  }

  async queue(): Promise<RayJob[]> {
    return (await this.#live()).filter(({ id }) => !id.startsWith('hold-'))
  }

  async hold(): Promise<void> {
    const id = `hold-${++this.#holds}`
    await this.#submit(id, 'exec sleep 3600', this.#cpus)
    await this.#until('all processors are taken', async () =>
      (await this.#live()).some((job) => job.id === id && job.state === 'RUNNING'),
    )
  }

  async release(): Promise<void> {
    const id = `hold-${this.#holds}`
    await this.#request(`/api/jobs/${id}/stop`, {})
    await this.#ended(id)
  }

  async stop(): Promise<void> {
    const { directory } = this
    const server = this.#server
    if (server !== null && server.exitCode === null && server.signalCode === null) {
      const exit = once(server, 'exit')
      server.kill('SIGKILL')
      await exit
    }
    // what it has started are no children of the test
    killProcessesWith(`FLOW_SERVICE_RAY=${directory}`)
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }

  async #submit(id: string, entrypoint: string, cpus: number): Promise<void> {
    await this.#request('/api/jobs/', { entrypoint, submission_id: id, entrypoint_num_cpus: cpus })
  }

  #ended(id: string): Promise<void> {
    return this.#until(`job ${id} is over`, async () => (await this.#live()).every((job) => job.id !== id))
  }

  async #live(): Promise<RayJob[]> {
    const jobs = JSON.parse(await this.#request('/api/jobs/')) as {
      submission_id: string
      status: string
      metadata: { job_name?: string } | null
    }[]
    return jobs
      .filter(({ status }) => ['PENDING', 'RUNNING'].includes(status))
      .map(({ submission_id: id, status: state, metadata }) => ({ id, name: metadata?.job_name ?? '', state }))
  }

  /** The body of the answer; rejects with what else it is. */
  async #request(at: string, body?: object): Promise<string> {
    const sent = { token: this.token, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const { status, text } = await plainRequest(body === undefined ? 'GET' : 'POST', this.address + at, sent)
    if (status === 200) return text
    throw new Error(`Ray answered ${status}: ${text}`)
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const untilMs = Date.now() + LIMIT_MS
    while (!(await isSo())) {
      const isGone = this.#server?.exitCode !== null || this.#server.signalCode !== null
      if (isGone || Date.now() > untilMs) {
        const said = fs.readFileSync(path.join(this.directory, 'ray.log'), 'utf8').slice(-4000)
        throw new Error(`${isGone ? 'Ray has ended' : `not so within ${LIMIT_MS} ms`}: ${what}\n${said}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
