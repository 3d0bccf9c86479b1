/**
 * Where the engine is and who is asking: flags, then environment, then a sign-in file. The engine in environment
 * `local` writes one into its data directory; `service login` writes one into the user's configuration folder.
 * Completion reads it on every key, so that nothing large is loaded here.
 * @module
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { CommandFailure } from './failure.ts'

/** Options of every command that talks to an engine. */
export interface ClientFlags {
  readonly url?: string
  readonly token?: string
  readonly json?: boolean
}

/** The sign-in file: `cli.json`, mode 0600. */
export interface SignIn {
  readonly base_url: string
  readonly access_token: string
}

/** The file of `service login`, under XDG_CONFIG_HOME or ~/.config. */
const configFile = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'flow-service', 'cli.json')

/** The address of an API as clients take it; fails with exit code 2 when it cannot be one. */
export function apiAddress(text: string): string {
  const address = text.replace(/\/+$/, '')
  if (/^https?:\/\/.+\/api\/v1$/.test(address) && URL.canParse(address)) return address
  throw new CommandFailure(2, `"${text}" is no API address; write it like http://127.0.0.1:8000/api/v1`)
}

/** What was found; undefined for what nothing names. */
export interface Found {
  readonly baseUrl: string | undefined
  readonly accessToken: string | undefined
}

/** The engine that a command means; fails with exit code 2 or 3 on an address or a file that cannot be one. */
export function findEngine(flags: ClientFlags, env: NodeJS.ProcessEnv = process.env, from = process.cwd()): Found {
  const { url, token, file } = sourcesOf(flags, env, from)
  const baseUrl = url ?? file?.base_url
  // A token belongs to the engine that it came from: it is never sent to another one.
  const accessToken = token ?? (file && file.base_url === baseUrl ? file.access_token : undefined)
  return { baseUrl, accessToken }
}

function sourcesOf(flags: ClientFlags, env: NodeJS.ProcessEnv, from: string) {
  const given = flags.url ?? env.SERVICE_URL
  const url = given === undefined ? undefined : apiAddress(given)
  const token = flags.token ?? env.SERVICE_TOKEN
  const file = url !== undefined && token !== undefined ? null : findSignIn(env, from)
  return { url, token, file }
}

/** Keeps a sign-in for later commands, readable by its owner alone. */
export function keepSignIn(signIn: SignIn, env: NodeJS.ProcessEnv = process.env): string {
  const file = configFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(signIn, null, 2)}\n`, { mode: 0o600 })
  renameSync(fresh, file)
  return file
}

function findSignIn(env: NodeJS.ProcessEnv, from: string): SignIn | null {
  const places: string[] = []
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    places.push(join(dir, '.service', 'cli.json'))
    if (dirname(dir) === dir) break
  }
  if (env.SERVICE_DATA_DIR) places.push(join(env.SERVICE_DATA_DIR, 'cli.json'))
  places.push(configFile(env))
  for (const place of places) {
    const signIn = read(place)
    if (signIn) return signIn
  }
  return null
}

function read(file: string): SignIn | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return null // absent or not ours to read: the next place may have one
  }
  try {
    const value = JSON.parse(text) as Partial<SignIn>
    if (typeof value.base_url === 'string' && typeof value.access_token === 'string') return value as SignIn
  } catch {
    // falls through to the failure below
  }
  throw new CommandFailure(3, `${file} is not a sign-in file; remove it, and start the engine or log in again`)
}
