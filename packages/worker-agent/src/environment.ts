/**
 * The environment that node code sees.
 * @module
 */
import { createHash } from 'node:crypto'

const credential =
  /(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTH|COOKIE|SESSION|DSN|DATABASE_URL|SMTP_URL|CONNECTION_STRING)/i

/** An environment without the variables whose names speak of credentials (wire decision G58). */
export function withoutCredentials(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined && !credential.test(name)) kept[name] = value
  return kept
}

/** Names the agent that a process belongs to; found in `/proc/<pid>/environ` after an engine has died. */
export const MARK_VARIABLE = 'SERVICE_WORKER_MARK'
/** Names the engine's process. */
export const ENGINE_VARIABLE = 'SERVICE_ENGINE_PID'
/** Names the Python process in ten digits: its zygote finds by it what was started there and lives on. */
export const OWNER_VARIABLE = 'SERVICE_PROCESS_PID'

/** The environment of all processes of one agent. A call adds its own variables and `SERVICE_CALL_ID`. */
export const processEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string> => ({
  ...withoutCredentials(env),
  [MARK_VARIABLE]: mark,
  [ENGINE_VARIABLE]: String(process.pid),
})

/** The mark of the agent with an id: short, and the same over restarts. */
export const markOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 12)

/**
 * The environment of other processes of the engine whose agent has this id. Should the engine die, the next start ends
 * them with the agent's own.
 */
export const environmentBeside = (
  id: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> => processEnvironment(env, markOf(id))
