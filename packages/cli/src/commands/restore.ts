import { type BackupSummary, inspectBackup, restoreByName } from '@flow-service/api-server'

import { plainly } from '../failure.ts'
import { count, StepLines } from '../step-lines.ts'
import { byteCount, table } from '../table.ts'
import { bold, counted, printAnswer, shortTime } from '../terminal.ts'

interface RestoreFlags {
  readonly to?: string
  readonly data?: string
  readonly artifacts?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** `service restore <file>`. */
export async function restore(
  file: string,
  { to, data: dataDir, artifacts, dryRun, json }: RestoreFlags,
): Promise<void> {
  const lines = new StepLines((line) => console.error(line))
  const onStep = lines.add.bind(lines)
  if (dryRun) {
    const found = await inspectBackup(file, onStep)
    lines.end()
    printAnswer({ file, ...found }, json, () => foundText(file, found))
    return
  }
  const restored = await plainly(() => restoreByName({ file, to, dataDir, artifacts, onStep }))
  lines.end()
  printAnswer({ file, ...restored }, json, () => {
    const { head, rows, next } = restored
    const done = `${bold('Restored')} ${count(rows)} rows of ${head.tables.length} tables as of ${shortTime(head.made_at)}.`
    return [done, '', ...next].join('\n')
  })
}

function foundText(file: string, { head, end, rows, bytes }: BackupSummary & { readonly bytes: number }): string {
  const full = end.tables.filter((each) => each.rows > 0)
  const { artifacts } = head
  return [
    `${bold(file)} is whole: ${byteCount(bytes)}, made on ${shortTime(head.made_at)} by version ${head.engine} of ${head.from}`,
    artifacts.kind === 'here'
      ? `with ${counted(end.artifacts.count, 'artifact')} (${byteCount(end.artifacts.bytes)})`
      : `without artifacts, which are in ${artifacts.place}`,
    end.keys.length > 0 ? `with ${end.keys.join(', ')}` : 'without keys',
    '',
    `${count(rows)} rows:`,
    '',
    table(
      ['TABLE', 'ROWS'],
      full.map((each) => [each.name, count(each.rows)]),
      'All tables are empty.',
    ),
  ].join('\n')
}
