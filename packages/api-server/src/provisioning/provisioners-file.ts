/**
 * `provisioners.json` of the data directory: the clusters where this engine may start workers. It is read at the start and
 * whenever somebody asks for it; what is wrong in it is told by its place, its value and what to write instead.
 * @module
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

import { type ProblemItem, type Provisioner, provisionersFileSchema } from '@flow-service/protocol'

import { invalidPart, ProblemError } from '../http/errors.ts'

const MAX_BYTES = 1024 * 1024
const MAX_SHOWN = 60

/** Where the file of a data directory is. */
export const provisionersFile = (dataDir: string): string => join(dataDir, 'provisioners.json')

/** The provisioners of a file, none without one. Refuses with `validation_failed`, all places named, what it cannot use. */
export async function readProvisioners(path: string): Promise<readonly Provisioner[]> {
  const text = await textOf(path)
  if (text === null) return []
  const document = documentOf(path, text)
  const parsed = provisionersFileSchema.safeParse(document)
  if (parsed.success) return parsed.data
  const errors = (invalidPart(parsed.error, 'body').extensions['errors'] ?? []) as readonly ProblemItem[]
  throw refusal(path, errors, document)
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
