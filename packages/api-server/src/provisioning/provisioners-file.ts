/**
 * `provisioners.json` of the data directory: the clusters where this engine may start workers. It is read at the start and
 * whenever somebody asks for it; what is wrong in it is told by its place, its value and what to write instead.
 * @module
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

import { type ProblemItem, type Provisioner, provisionersFileSchema } from '@flow-service/protocol'
import { withoutCredentials } from '@flow-service/worker-agent'

import { invalidPart, ProblemError } from '../http/errors.ts'
import type { Environment } from '../process/setting.ts'

const MAX_BYTES = 1024 * 1024
const MAX_SHOWN = 60

/** Where the file of a data directory is. */
export const provisionersFile = (dataDir: string): string => join(dataDir, 'provisioners.json')

/**
 * The provisioners of a file, none without one; `env` has the tokens that it names. Refuses with `validation_failed`, all
 * places named, what it cannot use.
 */
export async function readProvisioners(path: string, env: Environment = process.env): Promise<readonly Provisioner[]> {
  const text = await textOf(path)
  if (text === null) return []
  const document = documentOf(path, text)
  const parsed = provisionersFileSchema.safeParse(document)
  if (parsed.success) {
    const faults = parsed.data.flatMap((provisioner, at) => faultsOfToken(provisioner, at, env))
    if (faults.length > 0) throw refusal(path, faults, document)
    return parsed.data
  }
  const errors = (invalidPart(parsed.error, 'body').extensions['errors'] ?? []) as readonly ProblemItem[]
  throw refusal(path, errors, document)
}

/** What is wrong with the variable of a bearer token. */
function faultsOfToken(provisioner: Provisioner, at: number, env: Environment): ProblemItem[] {
  if (provisioner.type !== 'ray' || provisioner.token_env === null) return []
  const { token_env: name } = provisioner
  const fault = (code: string, message: string): ProblemItem[] => [{ path: `/${at}/token_env`, code, message }]
  if (Object.hasOwn(withoutCredentials({ [name]: '' }), name))
    return fault('not_hidden', 'use a name that has TOKEN or SECRET in it: code of nodes sees all other variables')
  if ((env[name] ?? '').trim() === '') return fault('not_set', 'set this variable in the environment of the engine')
  return []
}

async function textOf(path: string): Promise<string | null> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw refusal(path, [
      {
        path: '',
        code: 'unreadable',
        message: `it cannot be read (${error.code}): make it a file that the engine may read`,
      },
    ])
  })
  if (file === null) return null
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES + 1))
    if (bytesRead <= MAX_BYTES) return buffer.toString('utf8', 0, bytesRead)
    throw refusal(path, [{ path: '', code: 'too_big', message: `it has more than ${MAX_BYTES} bytes` }])
  } catch (error) {
    if (error instanceof ProblemError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw refusal(path, [{ path: '', code: 'unreadable', message: `it cannot be read (${code}): make it a file` }])
  } finally {
    await file.close()
  }
}

function documentOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `it is no JSON (${(error as Error).message}): mend it, or begin with []`
    throw refusal(path, [{ path: '', code: 'malformed_json', message }])
  }
}

function refusal(path: string, errors: readonly ProblemItem[], document?: unknown): ProblemError {
  const [first] = errors
  const value = shown(document, first?.path ?? '')
  const place = first?.path ? ` ${first.path}${value}` : ''
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new ProblemError('validation_failed', `${path}:${place}${place && ':'} ${first?.message}${more}`, { errors })
}

/** ` is <value>` of a place; empty where there is none, or no short one. */
function shown(document: unknown, pointer: string): string {
  const steps = pointer.split('/').slice(1)
  const value = steps.reduce<unknown>(
    (inside, step) => (inside as Record<string, unknown> | null | undefined)?.[step],
    document,
  )
  const text = JSON.stringify(value)
  return text === undefined || text.length > MAX_SHOWN ? '' : ` is ${text}`
}
