import { existsSync } from 'node:fs'

import { type BackupSummary, offlineBackup, readKeys, writeBackupFile } from '@flow-service/api-server'

import { CommandFailure, plainly } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { count, StepLines } from '../step-lines.ts'
import { byteCount } from '../table.ts'
import { bold, counted, printAnswer } from '../terminal.ts'

interface BackupFlags extends ClientFlags {
  readonly data?: string
  /** Undefined: those of a folder. */
  readonly artifacts?: boolean
  readonly withKeys?: string
  readonly force?: boolean
}

/** `service backup <file>`. */
export async function backup(file: string, flags: BackupFlags): Promise<void> {
  const { data, artifacts, withKeys, force = false, json } = flags
  if (existsSync(file) && !force)
    throw new CommandFailure(1, `"${file}" exists: name another file, or use --force to replace it`)
  const keys = withKeys === undefined ? [] : await readKeys(withKeys)
  if (withKeys !== undefined && keys.length === 0)
    throw new CommandFailure(
      1,
      `there are no keys in "${withKeys}": they are set by the environment, or it is no data directory`,
    )
  const lines = new StepLines((line) => console.error(line))
  const bytes = data === undefined ? fromEngine(flags) : offlineBackup({ dataDir: data }, artifacts)
  const made = await plainly(() => writeBackupFile(file, bytes, { keys, onStep: (step) => lines.add(step) }))
  lines.end()
  printAnswer({ file, ...made }, json, () => madeText(file, made))
}

/** The bytes that an engine sends. */
async function* fromEngine({ artifacts, ...flags }: BackupFlags): AsyncGenerator<Uint8Array> {
  const wish = artifacts === undefined ? {} : { artifacts }
  const answer = await connect(flags).backup.make({ ...wish, parseAs: 'stream' })
  try {
    yield* answer as unknown as ReadableStream<Uint8Array>
  } catch (error) {
    throw new CommandFailure(
      1,
      `the engine went away before its backup was complete, and no file was written (${String(error)})`,
    )
  }
}

function madeText(file: string, { head, end, rows, bytes }: BackupSummary & { readonly bytes: number }): string {
  const { count: stored, bytes: size, missing } = end.artifacts
  const lines = [
    `${bold(file)}: ${byteCount(bytes)}, ${count(rows)} rows of ${head.tables.length} tables from ${head.from}`,
  ]
  if (head.artifacts.kind === 'here') lines.push(`with ${counted(stored, 'artifact')} (${byteCount(size)})`)
  else lines.push(`without artifacts: they are in ${head.artifacts.place}`)
  if (missing.length > 0)
    lines.push(`${counted(missing.length, 'artifact')} that something refers to: the bytes were not there`)
  lines.push(
    end.keys.length > 0
      ? `with ${end.keys.join(', ')}: whoever has the file can read all secrets`
      : 'without keys: keep secret.key of the data directory, or SERVICE_SECRET_KEY, elsewhere',
  )
  return lines.join('\n')
}
