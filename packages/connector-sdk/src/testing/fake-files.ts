/**
 * The files directory of an engine, in memory.
 * @module
 */
import { FileError, filePathFault, type Files } from '../files.ts'

/** One object a context. */
export class FakeFiles implements Files {
  readonly #stored = new Map<string, Uint8Array>()

  async read(path: string): Promise<Uint8Array> {
    check(path)
    const data = this.#stored.get(path)
    if (data === undefined) throw new FileError('missing', `there is no file "${path}"`)
    return data.slice()
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    check(path)
    this.#stored.set(path, data.slice())
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    check(path)
    this.#stored.set(path, new Uint8Array([...(this.#stored.get(path) ?? []), ...data]))
  }
}

function check(path: string): void {
  const fault = filePathFault(path)
  if (fault !== null) throw new FileError('refused', `the path "${path}" ${fault}`)
}
