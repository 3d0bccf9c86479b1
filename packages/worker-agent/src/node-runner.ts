/**
 * The program of a Node process that runs bundles. It imports nothing but Node and its neighbours, so that it starts
 * fast, from source as well as built.
 *
 * Descriptor 3 is written with blocking writes, which holds the code back when the agent is behind; 4 is read; 5 stays
 * open as long as the agent lives and is watched by a thread, for the code may keep the main thread busy for ever.
 * @module
 */
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

import { encodeFrame, FrameReader, type Message } from './channel.ts'
import { CodeSession } from './code-session.ts'

/** How long code may go on that still has timers or sockets when the agent has closed the channel. */
const FAREWELL_MS = 500

/** Ends the whole process group when the agent's end of descriptor 5 closes. */
const watch = `
const { Socket } = require('node:net')
new Socket({ fd: 5 }).on('close', () => process.kill(-process.pid, 'SIGKILL')).on('error', () => {}).resume()
`

function send(message: Message, data?: Uint8Array): void {
  for (const piece of encodeFrame(message, data))
    for (let written = 0; written < piece.byteLength;) written += writeSync(3, piece, written)
}

const session = new CodeSession(send)
const reader = new FrameReader((message, data) => session.receive(message, data))
process.on('uncaughtException', (error) => session.uncaught(error))
new Worker(watch, { eval: true, execArgv: [] }).unref()
new Socket({ fd: 4 })
  .on('data', (chunk: Buffer) => reader.push(chunk))
  .on('end', () => setTimeout(() => process.exit(0), FAREWELL_MS).unref())
  .on('error', () => process.exit(1))
