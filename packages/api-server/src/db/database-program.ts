/**
 * PostgreSQL, compiled: `embedded-thread.ts` keeps it for the threads to come, and a thread that is started ahead
 * compiles it itself (`embedded-worker.ts`), beside the process that still loads what it is for.
 * @module
 */
import fs from 'node:fs'

import type { PGliteOptions } from '@electric-sql/pglite'

import { withoutWideJoins } from './wide-joins.ts'

/** Threads that are given the same one share its machine code. */
export type DatabaseProgram = NonNullable<PGliteOptions['pgliteWasmModule']>

/** Its types are of browsers alone. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { compile(code: Uint8Array): Promise<DatabaseProgram> }
}

/** Reads and compiles the program that PGlite brings. */
export async function compileDatabase(): Promise<DatabaseProgram> {
  const code = await fs.promises.readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  return wasm.compile(withoutWideJoins(code))
}
