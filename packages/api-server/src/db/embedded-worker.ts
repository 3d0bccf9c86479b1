/**
 * Thread entry: one PGlite on one directory. Receives `{ id, messages }` (PostgreSQL wire protocol) or `{ id, close }`,
 * answers `{ id, answer }`, `{ id, error }`, or `{ id }` when closed; posts `{ ready: true }` first.
 * In a thread of its own, because a statement keeps its event loop busy until it ends.
 *
 * - embedded-worker.E1 a program that broke off is never called again, not even to close it: it may run for ever.
 * - embedded-worker.E2 while the disk is full, transactions are read-only: PostgreSQL refuses writes (25006), and reads
 *   go on.
 * - embedded-worker.E3 without its data directory it executes nothing, not even what closes the database: what stands at
 *   its paths may be another engine's.
 * @module
 */
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

import { PGlite } from '@electric-sql/pglite'

import { lostOf } from '../process/held-directory.ts'
import { startFailure } from './damage.ts'
import { compileDatabase } from './database-program.ts'
import { DiskReserve } from './disk-reserve.ts'
import { DurableFs, durableStartParams } from './durable-fs.ts'
import type { Compiled, EngineReply, EngineRequest, EngineThreadData } from './embedded-thread.ts'
import { Received } from './received.ts'
import { createDataDirectory } from './template.ts'

const port = parentPort
if (!port) throw new Error('embedded-worker is the entry of a worker thread')
const given = workerData as EngineThreadData | null
/** Of a thread that was started ahead of what it opens, and compiles meanwhile. */
const compiled = given ? null : compileDatabase()
void compiled?.then((program) => port.postMessage({ program } satisfies Compiled))
const { directory, isNew, paths } = given ?? ((await once(port, 'message')) as [EngineThreadData])[0]

const FLUSH = 'H'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

assertHeld()
if (isNew) await createDataDirectory(directory)
assertThere()
const reserve = new DiskReserve(directory)
const files = new DurableFs(directory, reserve)
const received = new Received()
let isBroken = false
/** Between two transactions. */
let isIdle = true
let isReadOnly = false
reserve.isFull()
const program = compiled ? await compiled : ((await once(port, 'message')) as [Compiled])[0].program
const pglite = await open()
endWhenItBreaks(pglite)
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
    return await PGlite.create({ fs: files, pgliteWasmModule: program, startParams: durableStartParams, onStderr })
  } catch (error) {
    throw startFailure(directory, output, error)
  }
}

async function answer(request: EngineRequest): Promise<void> {
  const { id } = request
  if ('close' in request) {
    if (!isBroken && lostOf(paths) === null) await pglite.close()
    reply({ id })
    port?.close()
    return
  }
  try {
    assertHeld()
    await heedDisk()
    const answer = await execute(request.messages)
    reply({ id, answer }, [answer.buffer as ArrayBuffer])
  } catch (error) {
    const { failure } = files
    // Emscripten's ExitStatus is no Error.
    if (!failure) reply({ id, error: (error as { message?: string }).message ?? String(error) })
    else reply({ id, error: `the disk did not confirm a write: ${failure.message}`, isFinal: true })
  }
}

/** Throws without the data directory (embedded-worker.E3). */
function assertHeld(): void {
  const lost = lostOf(paths)
  if (lost !== null) throw new Error(`${lost} is not what was opened`)
}

/** PGlite would make the directory that it is given. */
function assertThere(): void {
  if (!fs.existsSync(path.join(directory, 'PG_VERSION')))
    throw new Error(`there is no database in ${directory} any more`)
}

/**
 * Throws when its answer is not to be trusted. PostgreSQL executes within this call, and nothing else happens meanwhile.
 * PGlite would also read each answer itself, which takes a third of the time of a large one.
 */
async function execute(messages: Uint8Array): Promise<Uint8Array> {
  if (isBroken) throw new Error('the database has stopped')
  isBroken = true
  await pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData: (part) => received.add(part) })
  const answer = received.take()
  if (files.failure) throw files.failure
  assertComplete(messages, answer)
  isBroken = false
  isIdle = answer.at(-6) === READY_FOR_QUERY && answer.at(-1) === IDLE
  return answer
}

/** Lets PostgreSQL refuse writes while the disk is full, and take them when it no longer is (embedded-worker.E2). */
async function heedDisk(): Promise<void> {
  if (!isIdle || reserve.isFull() === isReadOnly) return
  isReadOnly = !isReadOnly
  await execute(query(`set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`))
}

/** `status` of what it throws then, in PGlite 0.5.16. */
const JUMP = 100

/**
 * PGlite swallows what the WebAssembly program throws, and calls it until it has read its input: for ever, when the
 * program has aborted before. All it should throw is the jump behind an error of PostgreSQL.
 */
function endWhenItBreaks({ Module: program }: PGlite): void {
  let end: { thrown: unknown } | null = null
  const { _PostgresMainLoopOnce: runOnce, stackRestore } = program
  program._PostgresMainLoopOnce = () => {
    try {
      runOnce()
    } catch (thrown) {
      if ((thrown as { status?: unknown }).status !== JUMP) end = { thrown }
      throw thrown
    }
  }
  // what PGlite calls next, outside of what it swallows
  program.stackRestore = (pointer) => {
    if (end) throw end.thrown
    return stackRestore(pointer)
  }
}

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
  await execute(query("select pg_logical_emit_message(true, 'flow-service', 'sync check')"))
  if (files.syncs === before) {
    throw new Error(
      'a commit of the embedded database did not reach the disk: this version of @electric-sql/pglite is not supported, install exactly 0.5.16',
    )
  }
}

/** A message of the simple query protocol. */
function query(text: string): Uint8Array {
  const body = Buffer.from(`Q\0\0\0\0${text}\0`)
  body.writeUInt32BE(body.length - 1, 1)
  return body
}
