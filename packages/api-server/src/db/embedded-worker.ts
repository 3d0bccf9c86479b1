/**
 * Thread entry: one PGlite on one directory. Receives `{ id, messages }` (PostgreSQL wire protocol) or `{ id, close }`,
 * answers `{ id, answer }`, `{ id, error }`, or `{ id }` when closed; posts `{ ready: true }` first.
 * In a thread of its own, because a statement keeps its event loop busy until it ends.
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'

import { PGlite } from '@electric-sql/pglite'

import { DurableFs, durableStartParams } from './durable-fs.ts'
import type { EngineReply, EngineRequest } from './embedded-thread.ts'
import { createDataDirectory } from './template.ts'

const { directory } = workerData as { directory: string }
const port = parentPort
if (!port) throw new Error('embedded-worker is the entry of a worker thread')

await createDataDirectory(directory)
const files = new DurableFs(directory)
const pglite = await open()
await assertCommitReachesDisk()
reply({ ready: true })
port.on('message', (request: EngineRequest) => void answer(request))

/** PostgreSQL tells on its error output alone why it does not start. */
async function open(): Promise<PGlite> {
  let output = ''
  const onStderr = (text: string): boolean => {
    output = `${output}\n${text}`.slice(-2_000)
    return false
  }
  try {
    return await PGlite.create({ fs: files, startParams: durableStartParams, onStderr })
  } catch (error) {
    throw new Error(`the embedded database in ${directory} does not start: ${String(error)}${output}`, { cause: error })
  }
}

async function answer(request: EngineRequest): Promise<void> {
  if ('close' in request) {
    await pglite.close()
    reply({ id: request.id })
    port?.close()
    return
  }
  try {
    const answer = pglite.execProtocolRawSync(request.messages)
    assertComplete(request.messages, answer)
    reply({ id: request.id, answer }, [answer.buffer as ArrayBuffer])
  } catch (error) {
    // Emscripten's ExitStatus is no Error.
    reply({ id: request.id, error: (error as { message?: string }).message ?? String(error) })
  }
}

const FLUSH = 'H'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)

/** PGlite swallows an exception of the WebAssembly program; what is left of the session is not to be trusted. */
function assertComplete(messages: Uint8Array, answer: Uint8Array): void {
  const isFlush = messages.at(-5) === FLUSH && messages.at(-1) === 4
  if (!isFlush && answer.at(-6) !== READY_FOR_QUERY) throw new Error('a statement broke off')
}

function reply(message: EngineReply, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

async function assertCommitReachesDisk(): Promise<void> {
  const before = files.syncs
  await pglite.query("select pg_logical_emit_message(true, 'flow-service', 'sync check')")
  if (files.syncs === before) {
    throw new Error(
      'a commit of the embedded database did not reach the disk: this version of @electric-sql/pglite is not supported, install exactly 0.5.16',
    )
  }
}
