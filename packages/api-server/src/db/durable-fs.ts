/**
 * A PGlite file system whose fsync reaches the disk. PGlite 0.5.16 runs with `-F` and its NODEFS mount has no fsync
 * callback, so that a committed row may be lost, or the database be unreadable, after a power cut.
 * Relies on `Module.NODEFS` of that exact version: {@link DurableFs.syncs} tells whether the hook still works.
 *
 * - durable-fs.D1 a sync that failed is never tried again: the kernel may have dropped the bytes, and would call the
 *   next one good. From then on every sync fails, and {@link DurableFs.failure} says why.
 * - durable-fs.D2 the log of the database gets the reserve when the disk is full, see disk-reserve.ts.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

import type { DiskReserve } from './disk-reserve.ts'

/** WASI errno of an input/output error: PostgreSQL panics on it instead of believing that the data is safe. */
const EIO = 29
/** WASI errno of a full disk. */
const ENOSPC = 51

interface NodeStream {
  nfd?: number | null
  node: unknown
}

type Write = (stream: NodeStream, ...target: [Uint8Array, offset: number, length: number, position: number]) => number

interface NodeMount {
  stream_ops: { fsync?: (stream: NodeStream) => number; write: Write }
  realPath(node: unknown): string
}

/** {@link NodeFS} with a real fsync; counts the calls. */
export class DurableFs extends NodeFS {
  readonly #reserve: Pick<DiskReserve, 'spend'> | null
  #syncs = 0
  #failure: Error | null = null

  constructor(directory: string, reserve: Pick<DiskReserve, 'spend'> | null = null) {
    super(directory)
    this.#reserve = reserve
  }

  /** The first sync that failed. */
  get failure(): Error | null {
    return this.#failure
  }

  /** How many files were synced to disk since the start. */
  get syncs(): number {
    return this.#syncs
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args)
    const hook = (module: object): void => {
      const mount = (module as { NODEFS: NodeMount }).NODEFS
      const { write } = mount.stream_ops
      mount.stream_ops = {
        ...mount.stream_ops,
        fsync: (stream) => this.#sync(mount, stream),
        write: (stream, ...target) => {
          try {
            return write(stream, ...target)
          } catch (error) {
            if (!isFull(error) || !isLog(mount.realPath(stream.node)) || !this.#reserve?.spend()) throw error
            return write(stream, ...target)
          }
        },
      }
    }
    // Before the mount: a file takes the operations that the mount has when it is opened.
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [hook, ...(emscriptenOpts.preRun ?? [])] } }
  }

  #sync(mount: NodeMount, stream: NodeStream): number {
    if (this.#failure) return EIO
    try {
      if (typeof stream.nfd === 'number') fs.fsyncSync(stream.nfd)
      else syncPath(mount.realPath(stream.node))
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      return EIO
    }
    this.#syncs++
    return 0
  }
}

const isFull = (error: unknown): boolean => (error as { errno?: number }).errno === ENOSPC

const isLog = (file: string): boolean => path.basename(path.dirname(file)) === 'pg_wal'

/** Syncs one file or directory to disk. */
export function syncPath(path: string): void {
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Command line of the embedded PostgreSQL: fsync on, and memory and descriptors for one small service. */
export const durableStartParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'shared_buffers=16MB',
  // it keeps what it has opened: all tables and indexes otherwise, of the descriptors that connections and processes need
  '-c',
  'max_files_per_process=128',
]
