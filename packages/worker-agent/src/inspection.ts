/**
 * Debuggers in processes of node code, for who develops flows: a process that is about to execute its first call opens an
 * inspector (Node), or debugpy (Python), on a port of the loopback address. Nodes keep their ports as far as those are
 * free, so that an editor finds a node again after an edit or in the next run. Without the option nothing of it is there.
 * @module
 */
import { createServer } from 'node:net'

import type { CallFrame } from '@flow-service/protocol'

import type { Message } from './channel.ts'
import { describeExit, type Process } from './process.ts'

/** What a debugger attaches to, or why there is none. */
export type Inspected = Pick<CallFrame, 'flow' | 'node' | 'run' | 'kind'> &
  ({ readonly port: number } | { readonly problem: string })

/** How processes are debugged. */
export interface Inspect {
  /** The first port; each further node has the next free one. 0 takes any. */
  readonly port: number
  /** Whether code waits until a debugger is attached. */
  readonly wait: boolean
  /** The file that the source of a Python node was read from; null where there is none. */
  readonly pythonFileOf?: (flow: string, node: string) => string | null
  /** Hears of each process. Must not block. */
  readonly onOpened: (inspected: Inspected) => void
}

const HOST = '127.0.0.1'
const LAST_PORT = 65_535

/** Opens debuggers in the processes of an agent. */
export class Inspection {
  readonly #options: Inspect
  /** Ports of processes that live. */
  readonly #taken = new Set<number>()
  /** The port that a node had last. */
  readonly #ports = new Map<string, number>()

  constructor(options: Inspect) {
    this.#options = options
  }

  /** Opens a debugger in a process that has run nothing. Settles when it is open, or cannot be; rejects when the process ends. */
  async open(process: Process, frame: CallFrame): Promise<void> {
    const { wait, pythonFileOf, onOpened } = this.#options
    const { flow, node, run, kind } = frame
    const place = { flow, node, run, kind }
    const wanted = await this.#portFor(`${flow} ${node}`)
    void process.ended.then(() => this.#taken.delete(wanted))
    const file = kind === 'python' ? (pythonFileOf?.(flow, node) ?? null) : null
    const { port, problem } = await answerOf(process, { type: 'inspect', port: wanted, wait, file })
    if (typeof port !== 'number')
      return onOpened({ ...place, problem: typeof problem === 'string' ? problem : 'it does not answer' })
    onOpened({ ...place, port })
  }

  async #portFor(key: string): Promise<number> {
    const { port: first } = this.#options
    if (first === 0) return 0
    const known = new Set([...this.#ports].flatMap(([other, port]) => (other === key ? [] : [port])))
    const own = this.#ports.get(key)
    for (let port = own ?? first; port <= LAST_PORT; port += 1) {
      if (this.#taken.has(port) || known.has(port)) continue
      this.#taken.add(port)
      // oxlint-disable-next-line no-await-in-loop -- the first that is free
      if (await isFree(port)) {
        if (own === undefined) this.#ports.set(key, port)
        return port
      }
      this.#taken.delete(port)
    }
    return 0
  }
}

/** What a process answers to a question before its first call. */
async function answerOf(process: Process, question: Message): Promise<Message> {
  const heard = Promise.withResolvers<Message>()
  process.listen({
    onMessage: (message) => heard.resolve(message),
    // the inspector says where it is
    onOutput: () => undefined,
    onEnded: (exit) => heard.reject(new Error(`the process ${describeExit(exit)} while its debugger was opened`)),
  })
  process.send(question)
  const answer = await heard.promise
  await process.settled()
  process.ignore()
  return answer
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ port, host: HOST }, () => server.close(() => resolve(true)))
  })
}
