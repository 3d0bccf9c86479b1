/** A server that answers as the dashboard of a Ray cluster does, and records what it is asked. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request. */
export interface RayCall {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  readonly body: string
}

/** A job as Ray has it; `stopping` is one that waits, and ends as soon as it begins. */
interface RayJob {
  readonly submission_id: string
  readonly entrypoint: string
  readonly metadata: object
  readonly runtime_env: object
  status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED'
  message: string
  end_time: number | null
  stopping: boolean
}

type Behaviour = 'refuses' | 'denies' | 'unreachable' | 'hangs' | 'late' | 'loses'

/** A dashboard of 127.0.0.1. */
export class StubRay implements AsyncDisposable {
  readonly calls: RayCall[] = []
  readonly jobs = new Map<string, RayJob>()
  readonly #server: Server
  /** What is asked for as a bearer token; null for none. */
  token: string | null = null
  #how: Behaviour | null = null
  #well = Promise.withResolvers<void>()
  #words = ''

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<StubRay> {
    const server = createServer()
    const stub = new StubRay(server)
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void stub.#handle(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return stub
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /**
   * How it behaves from now on; `null` is well again. `refuses` takes no job, `denies` refuses everything, `loses` takes a
   * job and does not say so, `late` hands in and cancels when it is well again.
   */
  behave(how: Behaviour | null, words = ''): void {
    this.#how = how
    this.#well.resolve()
    if (how === 'late') this.#well = Promise.withResolvers()
    this.#words = words
  }

  /** A job begins to execute; one that was told to stop ends. */
  run(id: string): void {
    const job = this.#job(id)
    if (job.stopping) this.end(id, 'STOPPED', 'Job was intentionally stopped.')
    else job.status = 'RUNNING'
  }

  end(id: string, status: RayJob['status'], message: string): void {
    Object.assign(this.#job(id), { status, message, end_time: Date.now() })
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const body = await text(request)
    this.calls.push({ method, path, authorization: headers.authorization ?? null, body })
    if (this.#how === 'hangs') return
    if (this.#how === 'late' && method === 'POST') await this.#well.promise
    if (this.#how === 'denies') return say(response, 403, this.#words)
    if (this.#how === 'unreachable') return say(response, 503, this.#words)
    if (this.token !== null && headers.authorization !== `Bearer ${this.token}`)
      return headers.authorization === undefined
        ? say(response, 401, 'Unauthorized: Missing authentication token')
        : say(response, 403, 'Forbidden: Invalid authentication token')
    const [, id = '', stop] = /^\/api\/jobs\/([^/]*)(\/stop)?$/.exec(path) ?? []
    if (!path.startsWith('/api/jobs/')) return say(response, 404, '404: Not Found')
    if (id === '') return method === 'POST' ? this.#submit(body, response) : answer(response, [...this.jobs.values()])
    const job = this.jobs.get(id)
    if (job === undefined) return say(response, 404, `Job ${id} does not exist`)
    if (stop === undefined) this.jobs.delete(id)
    // Ray says so of any job, and does nothing about one that waits
    else if (job.status === 'RUNNING') this.end(id, 'STOPPED', 'Job was intentionally stopped.')
    else job.stopping = true
    return answer(response, stop === undefined ? { deleted: true } : { stopped: true })
  }

  #submit(body: string, response: ServerResponse): void {
    if (this.#how === 'refuses') return say(response, 400, `Traceback (most recent call last):\n${this.#words}`)
    const given = JSON.parse(body) as RayJob
    const id = given.submission_id
    this.jobs.set(id, {
      ...given,
      status: 'PENDING',
      message: 'Job has not started yet.',
      end_time: null,
      stopping: false,
    })
    if (this.#how === 'loses') response.destroy()
    else answer(response, { job_id: id, submission_id: id })
  }

  #job(id: string): RayJob {
    const job = this.jobs.get(id)
    if (job === undefined) throw new Error(`there is no job ${id}`)
    return job
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

const answer = (response: ServerResponse, value: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const say = (response: ServerResponse, status: number, words: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain' }).end(words)
