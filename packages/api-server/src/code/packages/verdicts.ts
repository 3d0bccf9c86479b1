/**
 * Verdicts of earlier starts, in a file of the data directory: what has passed once is not tried again (U11). The file is a
 * memory and no more: without it, and with one that cannot be read, every package is tried.
 * @module
 */
import { join } from 'node:path'

import * as z from 'zod'

import { readPrivateFile, writePrivateFile } from '../../auth/private-file.ts'
import type { Verdict } from './trial.ts'

/** The name of the file. */
export const VERDICTS_FILE = 'connector-packages.json'

const memorySchema = z.strictObject({
  format: z.literal(1),
  /** By name and digest of the package. */
  verdicts: z.record(
    z.string(),
    z.strictObject({ fault: z.string().nullable(), types: z.record(z.string(), z.string().nullable()) }),
  ),
  /** The package that each node type was last loaded from. */
  origins: z.record(z.string(), z.string()),
})

/** What was found out at earlier starts. */
export interface Memory {
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly origins: ReadonlyMap<string, string>
}

/** What is remembered in a data directory. */
export async function readMemory(dataDir: string): Promise<Memory> {
  const text = await readPrivateFile(join(dataDir, VERDICTS_FILE)).catch(() => null)
  const { success, data } = memorySchema.safeParse(parsed(text))
  if (!success) return { verdicts: new Map(), origins: new Map() }
  const verdicts = Object.entries(data.verdicts).map(
    ([key, verdict]) => [key, { ...verdict, isLasting: true }] as const,
  )
  return { verdicts: new Map(verdicts), origins: new Map(Object.entries(data.origins)) }
}

/** Remembers lasting verdicts and origins from now on, in place of what was. */
export const writeMemory = (dataDir: string, { verdicts, origins }: Memory): Promise<void> =>
  writePrivateFile(
    join(dataDir, VERDICTS_FILE),
    `${JSON.stringify({
      format: 1,
      verdicts: Object.fromEntries(
        [...verdicts].flatMap(([key, { fault, types, isLasting }]) => (isLasting ? [[key, { fault, types }]] : [])),
      ),
      origins: Object.fromEntries(origins),
    })}\n`,
  )

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
