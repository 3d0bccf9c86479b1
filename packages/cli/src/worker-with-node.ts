/**
 * `service-worker` and a Node in one file, for machines that have no Node: `service worker bundle --node` writes it. A
 * shell script stands before both. It unpacks them once, which needs `gzip`, and takes its own place by the worker, so
 * that signals of a scheduler reach that one.
 * @module
 */
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { CommandFailure } from './failure.ts'
import { shortDigest, type WorkerBundle } from './worker-bundle.ts'

const DOWNLOAD = 'take one from https://nodejs.org/download and name it: --node FILE'
/** A program of Linux, and where it tells its machine (System V ABI). */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46])
const MACHINE_AT = 18
const machines: Readonly<Record<number, string>> = { 0x3e: 'x64', 0xb7: 'arm64' }

/** A program of Node, as far as it tells about itself here. */
interface NodeProgram {
  readonly data: Buffer
  /** Such as `v24.21.0`; null for one of another platform. */
  readonly version: string | null
  /** Such as `linux-x64`. */
  readonly platform: string
}

/** The file, and what is in it. */
export interface WorkerWithNode extends Omit<NodeProgram, 'data'> {
  readonly data: Buffer
}

/** Joins a worker and the Node of a path. Throws a {@link CommandFailure} for a Node that would not run elsewhere. */
export async function withNode(worker: WorkerBundle, path: string): Promise<WorkerWithNode> {
  const node = await nodeAt(path)
  const packed = await promisify(gzip)(node.data)
  const text = Buffer.from(worker.text)
  const names = {
    node: `node-${node.version ?? 'other'}-${shortDigest(node.data)}`,
    worker: `worker-${worker.version}-${shortDigest(text)}.mjs`,
  }
  const title = `${worker.version} with a Node for ${node.platform}`
  const header = script(title, names, { node: packed.length, worker: text.length })
  return { ...node, data: Buffer.concat([Buffer.from(header), packed, text]) }
}

async function nodeAt(path: string): Promise<NodeProgram> {
  if (!(await stat(path)).isFile()) throw new CommandFailure(2, `--node "${path}" is no file; ${DOWNLOAD}`)
  const data = await readFile(path)
  const told = await ask(path)
  if (told === 'foreign' && data.subarray(0, ELF.length).equals(ELF)) {
    return { data, version: null, platform: `linux-${machines[data.readUInt16LE(MACHINE_AT)] ?? 'other'}` }
  }
  if (told === null || told === 'foreign') {
    throw new CommandFailure(2, `--node "${path}" is no program of Node; ${DOWNLOAD}`)
  }
  const { version, platform, shared } = told
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 19)) {
    throw new CommandFailure(2, `--node "${path}" is Node ${version}, and a worker needs 22.19 or newer; ${DOWNLOAD}`)
  }
  if (shared.length > 0) {
    const parts = shared.join(', ')
    throw new CommandFailure(2, `--node "${path}" takes ${parts} from this machine, and runs on no other; ${DOWNLOAD}`)
  }
  return { data, version, platform }
}

interface Told {
  readonly version: string
  readonly platform: string
  /** Its parts that are libraries of the system. */
  readonly shared: readonly string[]
}

/** What a program says as a Node: null for one that is none, and `foreign` for one that cannot run here. */
async function ask(path: string): Promise<Told | 'foreign' | null> {
  try {
    return JSON.parse((await promisify(execFile)(path, ['-p', QUESTION])).stdout) as Told
  } catch (error) {
    return typeof (error as NodeJS.ErrnoException).code === 'string' ? 'foreign' : null
  }
}

const QUESTION = `JSON.stringify({
  version: process.version,
  platform: process.platform + '-' + process.arch,
  shared: Object.entries(process.config.variables)
    .filter(([name, value]) => name.startsWith('node_shared') && String(value) === 'true')
    .map(([name]) => name.replace(/^node_shared_?/, '') || 'libnode'),
})`

interface Parts<T> {
  readonly node: T
  readonly worker: T
}

const script = (title: string, names: Parts<string>, bytes: Parts<number>): string => {
  const text = (header: string): string => `#!/bin/sh
# service-worker ${title}, written by "service worker bundle": try --help
folder=\${SERVICE_WORKER_FILES:-\${TMPDIR:-/tmp}/service-worker-$(id -u)}
node=$folder/${names.node}
worker=$folder/${names.worker}
fresh=$(uname -n).$$
fail() {
  rm -f "$node.$fresh" "$worker.$fresh"
  echo "error: cannot unpack into $folder ($1); set SERVICE_WORKER_FILES to another folder" >&2
  exit 1
}
mkdir -p -m 700 "$folder" 2>/dev/null
[ -d "$folder" ] && [ -O "$folder" ] && [ ! -L "$folder" ] || fail 'it is no folder of this user'
if [ ! -x "$node" ]; then
  tail -c +${header} "$0" | head -c ${bytes.node} | gzip -dc >"$node.$fresh" && chmod 700 "$node.$fresh" || fail 'see above'
  "$node.$fresh" --version >/dev/null || fail 'this Node does not run here, or no program runs from there'
  mv -f "$node.$fresh" "$node" || fail 'see above'
fi
if [ ! -f "$worker" ]; then
  tail -c ${bytes.worker} "$0" >"$worker.$fresh" && mv -f "$worker.$fresh" "$worker" || fail 'see above'
fi
exec "$node" "$worker" "$@"
`
  // it has four digits too
  const { length } = text('0000')
  return text(String(length + 1))
}
