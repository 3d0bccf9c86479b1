import { openAsBlob, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Client } from '@flow-service/client-sdk'

import { CommandFailure } from '../failure.ts'
import { forTerminal, openOutput } from '../output.ts'
import { type ClientFlags, connect } from '../session.ts'
import { byteCount, printable, table } from '../table.ts'
import { printAnswer } from '../terminal.ts'

/** `service artifacts list <run>`. */
export async function listArtifacts(run: string, flags: ClientFlags): Promise<void> {
  const { artifacts } = await connect(flags).runs.get(run)
  printAnswer(artifacts, flags.json, () => {
    const rows = artifacts.map(({ name, node, port, media_type: type, size, digest }) => [
      printable(name),
      port === null ? node : `${node}.${port}`,
      printable(type),
      byteCount(size),
      digest,
    ])
    return table(['NAME', 'FROM', 'TYPE', 'SIZE', 'DIGEST'], rows, 'The run has no artifacts.')
  })
}

interface GetFlags extends ClientFlags {
  readonly run?: string
  readonly output?: string
  readonly force?: boolean
}

/** `service artifacts get <digest>`, or a name with `--run`. */
export async function getArtifact(what: string, { run, output, force, ...flags }: GetFlags): Promise<void> {
  const client = connect(flags)
  const digest = run === undefined ? what : await digestOf(client, what, run)
  // opened before the first byte is asked for: a file that exists is refused at once
  const file = output === undefined ? null : await openOutput(output, force)
  const answer = await client.artifacts.get(digest, { parseAs: 'stream' })
  const bytes = Readable.fromWeb(answer as unknown as Parameters<typeof Readable.fromWeb>[0])
  if (file === null) {
    if (process.stdout.isTTY) await pipeline(bytes, forTerminal(), process.stdout, { end: false })
    else await pipeline(bytes, process.stdout, { end: false })
    return
  }
  await pipeline(bytes, file)
  if (output !== undefined) console.error(`${output}: ${byteCount(statSync(output).size)}`)
}

/** The artifact of a run with this name, the last where several have it. */
async function digestOf(client: Client, name: string, run: string): Promise<string> {
  const { artifacts } = await client.runs.get(run)
  const found = artifacts.findLast((one) => one.name === name || one.digest === name)
  if (found) return found.digest
  const known = artifacts.length === 0 ? 'has none' : `has ${[...new Set(artifacts.map((one) => one.name))].join(', ')}`
  throw new CommandFailure(1, `run ${run} has no artifact "${name}"; it ${known}`)
}

interface PutFlags extends ClientFlags {
  readonly name?: string
  readonly type?: string
}

/** `service artifacts put <file>`. */
export async function putArtifact(file: string, { name, type, json, ...flags }: PutFlags): Promise<void> {
  const ref = await connect(flags).upload(await openAsBlob(file), {
    name: name ?? basename(file),
    ...(type === undefined ? {} : { mediaType: type }),
  })
  printAnswer(ref, json, () => `${ref.digest}  ${byteCount(ref.size)}  ${printable(ref.name)}`)
}
