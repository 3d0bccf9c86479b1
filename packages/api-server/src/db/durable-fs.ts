/**
 * A PGlite file system whose fsync reaches the disk. PGlite 0.5.16 runs with `-F` and its NODEFS mount has no fsync
 * callback, so that a committed row may be lost, or the database be unreadable, after a power cut.
 * Relies on `Module.NODEFS` of that exact version: {@link DurableFs.syncs} tells whether the hook still works.
 * @module
 */
import fs from 'node:fs'

import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** WASI errno of an input/output error: PostgreSQL panics on it instead of believing that the data is safe. */
const EIO = 29

interface NodeStream {
  nfd?: number | null
  node: unknown
}

interface NodeMount {
  stream_ops: { fsync?: (stream: NodeStream) => number }
  realPath(node: unknown): string
}

/** {@link NodeFS} with a real fsync; counts the calls. */
export class DurableFs extends NodeFS {
  #syncs = 0

  /** How many files were synced to disk since the start. */
  get syncs(): number {
    return this.#syncs
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args)
    const hook = (module: object): void => {
      const mount = (module as { NODEFS: NodeMount }).NODEFS
      mount.stream_ops = { ...mount.stream_ops, fsync: (stream) => this.#sync(mount, stream) }
    }
    // Before the mount: a file takes the operations that the mount has when it is opened.
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [hook, ...(emscriptenOpts.preRun ?? [])] } }
  }

  #sync(mount: NodeMount, stream: NodeStream): number {
    try {
      if (typeof stream.nfd === 'number') fs.fsyncSync(stream.nfd)
      else syncPath(mount.realPath(stream.node))
    } catch {
      return EIO
    }
    this.#syncs++
    return 0
  }
}

/** Syncs one file or directory to disk. */
export function syncPath(path: string): void {
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Command line of the embedded PostgreSQL: fsync on, and memory for one small service. */
export const durableStartParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'shared_buffers=16MB',
]
