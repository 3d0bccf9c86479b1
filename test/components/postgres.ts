/**
 * Starts a real PostgreSQL for tests: a new cluster in a temporary directory on a free port of 127.0.0.1.
 * @module
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import { freePort } from './free-port.ts'

/** A running server. */
export interface PostgresServer {
  /** `postgres://…` of its database `postgres`. */
  url: string
  /** Makes an empty database and resolves to its url. */
  createDatabase(name: string): Promise<string>
  /** Executes a statement in a database. */
  execute(name: string, statement: string): Promise<void>
  /** Stops the server at once (as a crash would) and leaves its data. */
  crash(): Promise<void>
  /** Starts it again on the same port after {@link crash}. */
  start(): Promise<void>
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

const INSTALLED = '/usr/lib/postgresql'

/** Directory of the newest installed server's programs. */
export function findPostgres(): string | undefined {
  const versions = fs.existsSync(INSTALLED) ? fs.readdirSync(INSTALLED) : []
  return versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => path.join(INSTALLED, version, 'bin'))
    .find((directory) => fs.existsSync(path.join(directory, 'postgres')))
}

/** Whether tests can use a server; says so once for a whole run. Throws without one where `CI` is set. */
export function hasPostgres(): boolean {
  if (findPostgres() !== undefined) return true
  if (process.env['CI']) throw new Error('postgres not found (apt-get install postgresql), and CI must not skip it')
  console.log('skipped: postgres not found (apt-get install postgresql)')
  return false
}

/**
 * Starts a server with the programs in `programs` (see {@link findPostgres}). Without fsync, as tests have it, what a crash of the
 * server alone leaves is safe with the operating system; benchmarks wait for the disk.
 */
export async function startPostgres(programs: string, { fsync = false } = {}): Promise<PostgresServer> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'flow-service-postgres-'))
  const data = path.join(directory, 'data')
  const port = await freePort()
  if (isRoot) await run('chown', ['postgres', directory])
  await run(...asUser(path.join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-N']))

  const settings = ['listen_addresses=127.0.0.1', `fsync=${fsync ? 'on' : 'off'}`].flatMap((setting) => ['-c', setting])
  const serverArguments = ['-D', data, '-p', String(port), '-k', directory, ...settings]
  const psql = (name: string, statement: string): Promise<unknown> => {
    const place = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', name]
    return run(path.join(programs, 'psql'), [...place, '-c', statement])
  }
  let exited: Promise<unknown> = Promise.resolve()
  const start = async (): Promise<void> => {
    const [program, args] = asUser(path.join(programs, 'postgres'), serverArguments)
    const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    exited = once(server, 'exit')
    await untilReady(server)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.kill(readPid(data), signal)
    await exited
  }
  await start()
  const url = (name: string): string => `postgres://postgres@127.0.0.1:${port}/${name}`
  return {
    url: url('postgres'),
    async createDatabase(name) {
      await psql('postgres', `create database "${name}"`)
      return url(name)
    },
    async execute(name, statement) {
      await psql(name, statement)
    },
    crash: () => end('SIGQUIT'),
    start,
    async stop() {
      await end('SIGINT')
      fs.rmSync(directory, { recursive: true, force: true })
    },
  }
}

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root. */
function asUser(program: string, args: string[]): [string, string[]] {
  return isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, args]
}

/** Its own pid: that of `runuser` is another. */
function readPid(data: string): number {
  return Number(fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

async function untilReady(server: ChildProcess): Promise<void> {
  let output = ''
  const exited = once(server, 'exit').then(() => Promise.reject(new Error(`postgres ended at start: ${output}`)))
  const ready = new Promise<void>((resolve) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('ready to accept connections')) resolve()
    })
  })
  exited.catch(() => {})
  await Promise.race([ready, exited])
}
