/**
 * Starts a real mosquitto for tests: on a free port of 127.0.0.1, with a user, in a temporary directory.
 * @module
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { freePort } from './free-port.ts'

/** A running broker. */
export interface MosquittoServer {
  readonly port: number
  readonly username: string
  readonly password: string
  /** Freezes the process, and thaws it: it takes connections, and does nothing. */
  pause(): void
  resume(): void
  /** Ends it at once, as a crash would. */
  crash(): Promise<void>
  /** Starts it again on the same port after {@link crash}. */
  start(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/** Debian installs it where only the administrator's PATH looks. */
const PLACES = ['/usr/sbin', '/usr/local/sbin', ...(process.env['PATH'] ?? '').split(path.delimiter)]

const find = (program: string): string | undefined =>
  PLACES.map((directory) => path.join(directory, program)).find((file) => fs.existsSync(file))

/** Path of the program. */
const findMosquitto = (): string | undefined => find('mosquitto')

/** Whether tests can use a broker; says so once for a whole run. Throws without one where `CI` is set. */
export function hasMosquitto(): boolean {
  if (findMosquitto() !== undefined) return true
  if (process.env['CI']) throw new Error('mosquitto not found (apt-get install mosquitto), and CI must not skip it')
  console.log('skipped: mosquitto not found (apt-get install mosquitto)')
  return false
}

/** Starts a broker that knows one user; `settings` are further lines of its configuration. */
export async function startMosquitto(settings: readonly string[] = []): Promise<MosquittoServer> {
  const program = findMosquitto() ?? 'mosquitto'
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-mosquitto-'))
  const [username, password] = ['plant', 'pa ss:wörd']
  const users = path.join(directory, 'users')
  const config = path.join(directory, 'mosquitto.conf')
  const port = await freePort()
  execFileSync(find('mosquitto_passwd') ?? '', ['-b', '-c', users, username, password])
  const user = process.getuid?.() === 0 ? ['user root'] : []
  const lines = [...user, `listener ${port} 127.0.0.1`, 'allow_anonymous false', `password_file ${users}`, ...settings]
  fs.writeFileSync(config, lines.join('\n'))
  let process_ = spawn(program, ['-c', config], { stdio: 'ignore' })
  let exited: Promise<unknown> = once(process_, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process_.kill(signal)
    await exited
  }
  const stop = async (): Promise<void> => {
    if (process_.exitCode === null && process_.signalCode === null) await end('SIGKILL')
    fs.rmSync(directory, { recursive: true, force: true })
  }
  try {
    await untilListening(port)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    port,
    username,
    password,
    pause: () => void process_.kill('SIGSTOP'),
    resume: () => void process_.kill('SIGCONT'),
    crash: () => end('SIGKILL'),
    async start() {
      process_ = spawn(program, ['-c', config], { stdio: 'ignore' })
      exited = once(process_, 'exit')
      await untilListening(port)
    },
    stop,
  }
}

const LIMIT_MS = 20_000

async function untilListening(port: number): Promise<void> {
  const untilMs = Date.now() + LIMIT_MS
  while (!(await connects(port))) {
    if (Date.now() > untilMs) throw new Error(`mosquitto did not listen on port ${port} within ${LIMIT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function connects(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
