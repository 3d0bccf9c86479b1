import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { access, constants, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { CommandFailure } from '../failure.ts'
import { printAnswer } from '../terminal.ts'
import { bundleWorker, FILE_NAME } from '../worker-bundle.ts'
import { withNode } from '../worker-with-node.ts'

interface BundleFlags {
  readonly out?: string
  /** A path, or the Node of this process. */
  readonly node?: string | true
  readonly json?: boolean
}

/** `service worker bundle`. */
export async function writeWorkerBundle({ out, node, json }: BundleFlags): Promise<void> {
  const file = resolve(out ?? (node === undefined ? FILE_NAME : 'service-worker'))
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailure(2, `--out "${file}" is a folder: give the name of the file in it too`)
  }
  await access(dirname(file), constants.W_OK)
  const worker = await bundleWorker()
  const whole = node === undefined ? null : await withNode(worker, node === true ? process.execPath : node)
  const data = whole?.data ?? Buffer.from(worker.text)
  await replaceFile(file, data)
  const about = { node: whole?.version ?? null, platform: whole?.platform ?? null }
  const needs = whole === null ? 'Node 22.19 or newer' : `${whole.platform}: a Node is in it`
  printAnswer({ file, bytes: data.length, version: worker.version, ...about }, json, () =>
    [
      `Wrote ${file} (${(data.length / 1e6).toFixed(1)} MB, worker ${worker.version}). It needs ${needs}.`,
      'Python nodes need Python 3.11 or newer beside it.',
      'Copy it to the other machine, and start it there with SERVICE_WORKER_TOKEN and --url.',
    ].join('\n'),
  )
}

/** Writes a program at once, so that a worker which starts meanwhile finds the one before. */
async function replaceFile(file: string, data: Buffer): Promise<void> {
  const fresh = `${file}.${randomUUID()}`
  try {
    await writeFile(fresh, data, { mode: 0o755 })
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}
