/**
 * What `service-worker` does: options in, lines on standard error and an exit code out.
 * @module
 */
import { askPython, findPython, OLDEST_PYTHON } from '../interpreter.ts'
import { InvalidOption } from './invalid-option.ts'
import { type RemoteWorkerOptions, runWorker, type WorkerEnd, type WorkerEvent } from './run-worker.ts'
import { hideToken } from './worker-token.ts'

/** Options of the command, by their names. */
export interface WorkerFlags {
  readonly url: string
  readonly token?: string
  readonly name?: string
  readonly labels?: readonly string[]
  readonly python?: string
  readonly parallel: number
  readonly artifactUrl?: string
  readonly cpus?: number
  readonly gpus?: number
  readonly ramMb?: number
  readonly maxIdle: number
  readonly insecure: boolean
  readonly single: boolean
}

const codes: Readonly<Record<WorkerEnd['kind'], number>> = { stopped: 0, idle: 0, refused: 3, credential: 4 }

/** Runs a worker until it ends; answers its exit code. SIGTERM and SIGINT stop it, and end it at once the second time. */
export async function start(flags: WorkerFlags): Promise<number> {
  try {
    const stop = new AbortController()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
    const options = await optionsOf(flags)
    const end = await runWorker({ ...options, signal: stop.signal, onEvent: (event) => say(describe(event, flags)) })
    say(`ended: ${end.detail}`)
    return codes[end.kind]
  } catch (error) {
    console.error(`error: ${printable((error as Error).message)}`)
    return error instanceof InvalidOption ? 2 : 1
  }
}

async function optionsOf(flags: WorkerFlags): Promise<RemoteWorkerOptions> {
  const { cpus, gpus, ramMb, maxIdle, ...rest } = flags
  const token = (flags.token ?? process.env['SERVICE_WORKER_TOKEN'] ?? '').trim()
  if (token === '') throw new InvalidOption("give the worker's token in SERVICE_WORKER_TOKEN, or by --token")
  if (!hideToken(token))
    say('warning: this system shows the token to other processes of the same user, node code among them')
  return {
    ...rest,
    token,
    maxIdleS: maxIdle,
    python: await pythonOf(flags.python),
    resources: {
      ...(cpus === undefined ? {} : { cpus }),
      ...(gpus === undefined ? {} : { gpus }),
      ...(ramMb === undefined ? {} : { ram_mb: ramMb }),
    },
  }
}

/** The path of the interpreter; null, and a line about it, where there is none and none was named. */
async function pythonOf(named: string | undefined): Promise<string | null> {
  const found = named === undefined ? await findPython(process.env) : await askPython(named)
  if (found === null && named !== undefined) {
    throw new InvalidOption(`--python ${named} does not run, or is older than Python ${OLDEST_PYTHON}`)
  }
  if (found === null) say(`no Python ${OLDEST_PYTHON} or newer was found: this worker serves nodes in TypeScript only`)
  else say(`Python ${found.version} at ${found.path} runs the code of Python nodes`)
  return found?.path ?? null
}

function describe(event: WorkerEvent, { url }: Pick<WorkerFlags, 'url'>): string {
  if (event.type === 'problem') return `warning: ${event.detail}`
  const where = event.url === url ? '' : ` at ${event.url}`
  if (event.type === 'lost') {
    const meanwhile = event.kept === 0 ? '' : ` ${callsOf(event.kept)} meanwhile,`
    return `not attached${where}: ${event.detail};${meanwhile} trying again in ${inSeconds(event.retryMs)} s`
  }
  const { name, labels, engine_version } = event.welcome
  const { cpus, gpus, ram_mb } = event.resources
  const carried = labels.length === 0 ? 'no labels' : `labels ${labels.join(', ')}`
  if (event.resumed > 0) return `attached again as "${name}"${where}: ${callsOf(event.resumed)}`
  return `attached as "${name}" (${carried}) with ${cpus} CPUs, ${gpus} GPUs and ${ram_mb} MB to an engine ${engine_version}${where}`
}

const callsOf = (count: number): string => (count === 1 ? '1 call goes on' : `${count} calls go on`)

const inSeconds = (ms: number): string => (ms / 1000).toFixed(ms < 10_000 ? 1 : 0)

const say = (text: string): void => console.error(`${new Date().toISOString()} ${printable(text)}`)

/** What comes from the engine may hold what a terminal obeys. */
const printable = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
