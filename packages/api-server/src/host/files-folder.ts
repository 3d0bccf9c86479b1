/**
 * The files directory, and nothing else, for nodes.
 *
 * - files-folder.D1 a path is looked at as text first ({@link filePathFault}), then resolved; what it resolves to lies
 *   inside.
 * - files-folder.D2 links are followed only by that resolving. Afterwards each folder is opened inside the one before,
 *   without following links, so that swapping a folder for a link in between ends in a refusal. Where the system cannot
 *   open inside an open folder (all but Linux), an open file is compared with what its path then resolves to.
 * - files-folder.D3 only regular files are read and written. Opening never waits, as for the other end of a pipe.
 * - files-folder.D4 a replaced file has all its bytes on the disk before it gets its name.
 * - files-folder.D5 the directory is the one that was opened, or nothing is read or written: one that was removed is not
 *   made anew, and another one of its name is somebody else's.
 *
 * Whoever may make hard links in the directory can bring any file of theirs in; that is a copy by other means.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { FileError, filePathFault, type Files, MAX_FILE_BYTES, MAX_FILE_READ_BYTES } from '@flow-service/connector-sdk'
import { describeValue } from '@flow-service/protocol'

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** Flags that this system lacks are undefined. */
const SAFELY = (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)

/** How often a file is opened that others replace meanwhile. */
const MAX_ATTEMPTS = 20

/** An open folder. `at` is the path of a name in it, by its descriptor where the system can. */
interface Folder {
  readonly path: string
  readonly handle: FileHandle | null
  at(name: string): string
}

/** Where a file is: real names from the files directory on; the last one may not exist yet. */
interface Place {
  readonly folders: readonly string[]
  readonly name: string
}

/**
 * Opens the files directory, making it when there is none. `descriptors` is for tests: false takes the other way of
 * files-folder.D2.
 */
export async function openFilesFolder(directory: string, options: { descriptors?: boolean } = {}): Promise<Files> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const root = await realpath(directory)
  return new FilesFolder(root, await stat(root, { bigint: true }), options.descriptors ?? existsSync('/proc/self/fd'))
}

class FilesFolder implements Files {
  readonly #root: string
  /** The root as it was opened. */
  readonly #opened: BigIntStats
  readonly #descriptors: boolean

  constructor(root: string, opened: BigIntStats, descriptors: boolean) {
    this.#root = root
    this.#opened = opened
    this.#descriptors = descriptors
  }

  read(path: string): Promise<Uint8Array> {
    return this.#at(path, { make: false }, async (folder, name) => {
      await using file = await this.#open(folder, name, O_RDONLY)
      // awaited here, so that the file is closed afterwards
      return await bytesOf(file, path)
    })
  }

  write(path: string, data: Uint8Array): Promise<void> {
    return this.#at(path, { make: true, data }, async (folder, name) => {
      const before = await lstat(folder.at(name)).catch(absent)
      if (before?.isFile() === false) throw noFile(path)
      const part = `.${randomUUID()}.part`
      try {
        await this.#fill(folder, part, { data, mode: before?.mode })
        await rename(folder.at(part), folder.at(name))
      } catch (error) {
        await rm(folder.at(part), { force: true })
        throw error
      }
    })
  }

  append(path: string, data: Uint8Array): Promise<void> {
    return this.#at(path, { make: true, data }, async (folder, name) => {
      await using file = await this.#open(folder, name, O_WRONLY | O_APPEND | O_CREAT)
      const { size } = await file.stat()
      if (size + data.length > MAX_FILE_BYTES) {
        const message = `the file "${path}" has ${size} bytes and takes no more than ${MAX_FILE_BYTES}; move it away, or write to another one`
        throw new FileError('too_large', message)
      }
      await file.appendFile(data)
    })
  }

  async #fill(folder: Folder, name: string, { data, mode }: { data: Uint8Array; mode: number | undefined }) {
    await using file = await this.#open(folder, name, O_WRONLY | O_CREAT | O_EXCL)
    if (mode !== undefined) await file.chmod(mode & 0o777)
    await file.writeFile(data)
    await file.datasync()
  }

  /** Does something in the folder of a file; what goes wrong is told without the path of the files directory. */
  async #at<T>(
    path: string,
    { make, data }: { readonly make: boolean; readonly data?: Uint8Array },
    run: (folder: Folder, name: string) => Promise<T>,
  ): Promise<T> {
    const fault = filePathFault(path)
    if (fault !== null) throw new FileError('refused', `the path ${describeValue(path)} ${fault}`)
    if (data !== undefined && data.length > MAX_FILE_READ_BYTES) throw tooLarge(path)
    let folder: Folder | null = null
    try {
      await this.#assertThere(path)
      const { folders, name } = await this.#placeOf(path, make)
      folder = await this.#rootFolder()
      for (const next of folders) folder = await this.#enter(folder, next, make)
      return await run(folder, name)
    } catch (error) {
      throw described(path, error)
    } finally {
      await folder?.handle?.close()
    }
  }

  async #assertThere(path: string): Promise<void> {
    const found = await stat(this.#root, { bigint: true }).catch(absent)
    if (found?.ino === this.#opened.ino && found.dev === this.#opened.dev) return
    throw new FileError('unusable', `the file "${path}": the files directory was removed, moved or replaced`)
  }

  /** Where a path leads (files-folder.D1). To make a file, the part of its path that exists is resolved. */
  async #placeOf(path: string, make: boolean): Promise<Place> {
    const names = path.split('/')
    const missing: string[] = []
    let real = await realpath(join(this.#root, ...names)).catch(make ? absent : thrown)
    while (real === null) {
      const last = names.pop() ?? ''
      missing.unshift(last)
      real = await realpath(join(this.#root, ...names)).catch(absent)
      // a link to nowhere has no place to resolve to
      if (real !== null && (await lstat(join(real, last)).catch(absent))?.isSymbolicLink()) throw noFile(path)
    }
    const inside = relative(this.#root, real)
    if (inside.split(sep)[0] === '..' || join(this.#root, inside) !== real) throw outside(path)
    const all = [...inside.split(sep), ...missing].filter((name) => name !== '')
    const name = all.pop()
    if (name === undefined) throw noFile(path)
    return { folders: all, name }
  }

  async #rootFolder(): Promise<Folder> {
    return this.#folder(this.#root, this.#descriptors ? await open(this.#root, O_RDONLY | O_DIRECTORY) : null)
  }

  #folder(path: string, handle: FileHandle | null): Folder {
    return { path, handle, at: (name) => (handle === null ? join(path, name) : `/proc/self/fd/${handle.fd}/${name}`) }
  }

  /** Opens a folder inside another (files-folder.D2), and closes the one that it leaves. */
  async #enter(folder: Folder, name: string, make: boolean): Promise<Folder> {
    try {
      if (make) await mkdir(folder.at(name), { mode: 0o700 }).catch(ifThere)
      const path = join(folder.path, name)
      if (folder.handle !== null) {
        return this.#folder(path, await open(folder.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
      }
      if (!(await lstat(path)).isDirectory()) throw new FileError('refused', `"${name}" is no folder`)
      return this.#folder(path, null)
    } finally {
      await folder.handle?.close()
    }
  }

  /** Opens a regular file (files-folder.D3); one that was replaced before it was compared (files-folder.D2), once more. */
  async #open(folder: Folder, name: string, flags: number): Promise<FileHandle> {
    for (let attempt = 1; ; attempt += 1) {
      const file = await open(folder.at(name), flags | SAFELY, 0o600)
      try {
        const opened = await file.stat({ bigint: true })
        if (!opened.isFile()) throw new FileError('refused', `"${name}" is no regular file`)
        if (folder.handle !== null || (await this.#isAt(join(folder.path, name), opened))) return file
        if (attempt === MAX_ATTEMPTS) throw outside(name)
      } catch (error) {
        await file.close()
        throw error
      }
      await file.close()
    }
  }

  /** Whether a path now leads to this very file, inside. */
  async #isAt(path: string, { dev, ino }: { readonly dev: bigint; readonly ino: bigint }): Promise<boolean> {
    const real = await realpath(path)
    if (!real.startsWith(this.#root + sep)) throw outside(relative(this.#root, path))
    const found = await lstat(real, { bigint: true })
    return found.dev === dev && found.ino === ino
  }
}

/** At most as many bytes as may be read, whatever the file system says about the size. */
async function bytesOf(file: FileHandle, path: string): Promise<Uint8Array> {
  const { size } = await file.stat()
  if (size > MAX_FILE_READ_BYTES) throw tooLarge(path)
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.max(size - length, 0) + 1))
    if (bytesRead === 0) return Buffer.concat(chunks)
    length += bytesRead
    if (length > MAX_FILE_READ_BYTES) throw tooLarge(path)
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'Error'

function absent(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

function thrown(error: unknown): never {
  throw error
}

function ifThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

const noFile = (path: string): FileError => new FileError('refused', `"${path}" is no regular file`)
const outside = (path: string): FileError => new FileError('refused', `"${path}" leads out of the files directory`)
const tooLarge = (path: string): FileError =>
  new FileError('too_large', `"${path}": more than ${MAX_FILE_READ_BYTES} bytes are not read or written at once`)

/** Texts of the system name absolute paths, which are nobody's business. */
function described(path: string, error: unknown): FileError {
  if (error instanceof FileError) return error
  const code = codeOf(error)
  if (code === 'ENOENT') return new FileError('missing', `there is no file "${path}" in the files directory`)
  if (['EISDIR', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(code)) return noFile(path)
  const words: Record<string, string> = {
    EACCES: 'the engine may not do that',
    EDQUOT: 'the quota is used up',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk is read-only',
  }
  return new FileError('unusable', `the file "${path}": ${words[code] ?? 'the system refuses it'} (${code})`)
}
