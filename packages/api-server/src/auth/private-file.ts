/**
 * Files that only the user of the engine may read.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file of mode 0600 as a whole: a reader, or a crash, meets the old content or the new one. Drafts that a process
 * has left, because it was killed while it wrote, go first.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await dropLeftDrafts(path)
  const draft = `${path}.${process.pid}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The text of a file; null when there is none. */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function dropLeftDrafts(path: string): Promise<void> {
  const [directory, name] = [dirname(path), basename(path)]
  const left = (await readdir(directory)).filter((entry) => {
    const writer = entry.startsWith(`${name}.`)
      ? /^(\d+)\.[0-9a-f-]{36}$/.exec(entry.slice(name.length + 1))?.[1]
      : undefined
    // a process writes one file at a time: what bears its own number is of another life
    return writer !== undefined && (Number(writer) === process.pid || !isAlive(Number(writer)))
  })
  await Promise.all(left.map((entry) => rm(join(directory, entry), { force: true })))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // somebody else's process is one
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
