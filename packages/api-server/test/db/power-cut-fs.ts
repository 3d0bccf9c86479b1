/**
 * A file system for the power-cut test: it remembers what each file held at its last sync, and which writes came since.
 * Creating, renaming and removing files count as durable at once.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { DurableFs } from '../../src/db/durable-fs.ts'

interface Stream {
  node: object
  flags: number
}

interface Operations {
  open(stream: Stream): void
  write(stream: Stream, ...target: [buffer: Uint8Array, offset: number, length: number, position: number]): number
  fsync(stream: Stream): number
  setattr(streamOrNode: object, attributes: { size?: number }): void
  rename(node: object, directory: object, name: string): void
  unlink(directory: object, name: string): void
}

interface Mount {
  stream_ops: Operations
  node_ops: Operations
  realPath(node: object): string
}

interface File {
  synced: Buffer
  pending: { position: number; bytes: Buffer }[]
}

/** The disk writes pieces of this size whole. */
const PIECE = 4_096
/** As musl, and so Emscripten, numbers it. */
const O_TRUNC = 0o1000

/** {@link DurableFs} on a disk that can lose its power. */
export class PowerCutFs extends DurableFs {
  readonly #files = new Map<string, File>()

  override async init(...args: Parameters<DurableFs['init']>): ReturnType<DurableFs['init']> {
    const { emscriptenOpts } = await super.init(...args)
    const [durable, ...rest] = emscriptenOpts.preRun ?? []
    const observe = (module: object): void => this.#observe((module as { NODEFS: Mount }).NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: durable ? [durable, observe, ...rest] : rest } }
  }

  /** Copies the directory as a power cut may leave it: of the writes since the last sync, each piece is there or not. */
  cut(target: string): void {
    fs.cpSync(this.rootDir, target, { recursive: true })
    for (const [file, state] of this.#files) {
      if (!isFile(file)) continue
      settle(state, Math.random())
      fs.writeFileSync(path.join(target, path.relative(this.rootDir, file)), state.synced)
    }
  }

  #observe(mount: Mount): void {
    const { stream_ops: streams, node_ops: nodes } = mount
    const at = (node: object): File => this.#file(mount.realPath(node))
    const resize = (node: object, size: number | undefined): void => {
      if (size !== undefined) truncate(at(node), size)
    }
    mount.stream_ops = {
      ...streams,
      open: (stream) => {
        if (stream.flags & O_TRUNC) truncate(at(stream.node), 0)
        streams.open(stream)
      },
      write: (stream, ...target) => {
        const [buffer, offset, length, position] = target
        at(stream.node).pending.push({ position, bytes: Buffer.from(buffer.slice(offset, offset + length)) })
        return streams.write(stream, ...target)
      },
      fsync: (stream) => {
        const result = streams.fsync(stream)
        if (result === 0) settle(at(stream.node), 1)
        return result
      },
      setattr: (stream, attributes) => {
        resize((stream as Stream).node, attributes.size)
        streams.setattr(stream, attributes)
      },
    }
    mount.node_ops = {
      ...nodes,
      setattr: (node, attributes) => {
        resize(node, attributes.size)
        nodes.setattr(node, attributes)
      },
      rename: (node, directory, name) => {
        const [from, to] = [mount.realPath(node), path.join(mount.realPath(directory), name)]
        const state = this.#file(from)
        nodes.rename(node, directory, name)
        this.#files.delete(from)
        this.#files.set(to, state)
      },
      unlink: (directory, name) => {
        this.#files.delete(path.join(mount.realPath(directory), name))
        nodes.unlink(directory, name)
      },
    }
  }

  #file(file: string): File {
    const known = this.#files.get(file)
    if (known) return known
    const state: File = { synced: isFile(file) ? fs.readFileSync(file) : Buffer.alloc(0), pending: [] }
    this.#files.set(file, state)
    return state
  }
}

const isFile = (file: string): boolean => fs.existsSync(file) && fs.statSync(file).isFile()

/** Lets each piece of the pending writes reach the disk with a probability. */
function settle(file: File, probability: number): void {
  for (const { position, bytes } of file.pending) {
    for (let at = 0; at < bytes.length; at += PIECE) {
      if (probability === 1 || Math.random() < probability) put(file, position + at, bytes.subarray(at, at + PIECE))
    }
  }
  file.pending = []
}

function put(file: File, position: number, bytes: Buffer): void {
  const end = position + bytes.length
  if (end > file.synced.length) file.synced = Buffer.concat([file.synced, Buffer.alloc(end - file.synced.length)])
  bytes.copy(file.synced, position)
}

function truncate(file: File, size: number): void {
  settle(file, 1)
  const resized = Buffer.alloc(size)
  file.synced.copy(resized)
  file.synced = resized
}
