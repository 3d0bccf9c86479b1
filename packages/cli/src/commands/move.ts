import { moveByName, type MoveReport, planByName, undoByName } from '@flow-service/api-server'

import { CommandFailure, plainly } from '../failure.ts'
import { count, StepLines } from '../step-lines.ts'
import { byteCount, table } from '../table.ts'
import { bold, printAnswer } from '../terminal.ts'

interface MoveFlags {
  readonly to?: string
  readonly from?: string
  readonly data?: string
  readonly dryRun?: boolean
  readonly undo?: string
  readonly json?: boolean
}

/** `service move --to <place>`, and `service move --undo <place>`. */
export async function move({ to, from, data: dataDir, dryRun, undo, json }: MoveFlags): Promise<void> {
  if (undo !== undefined) {
    const undone = await plainly(() => undoByName({ at: undo, dataDir }))
    printAnswer(undone, json, () => `Engines open this database again; ${undone.to} is left as it is.`)
    return
  }
  if (to === undefined)
    throw new CommandFailure(2, 'give the place to move to with --to: a postgres:// URL, or "embedded"')
  if (dryRun) {
    const plan = await plainly(() => planByName({ to, from, dataDir }))
    printAnswer(plan, json, () => planText(plan))
    return
  }
  const lines = new StepLines((line) => console.error(line))
  const report = await plainly(() => moveByName({ to, from, dataDir, onStep: (step) => lines.add(step) }))
  lines.end()
  printAnswer(report, json, () => reportText(report))
}

function planText({ from, to, tables, rows, bytes }: MoveReport & { readonly bytes: number }): string {
  const full = tables.filter((each) => each.rows > 0)
  const head = `${bold(count(rows))} rows (${byteCount(bytes)} with indexes) would be moved from ${from} to ${to}:\n\n`
  return (
    head +
    table(
      ['TABLE', 'ROWS'],
      full.map((each) => [each.table, count(each.rows)]),
      'All tables are empty.',
    )
  )
}

function reportText({ from, to, tables, rows, resumed, next }: MoveReport): string {
  const begun = resumed ? ', which an earlier command had begun' : ''
  const moved = `${bold('Moved')} ${count(rows)} rows of ${tables.length} tables from ${from} to ${to}${begun}.`
  return [moved, 'Both have the same rows; no engine opens the old one any more.', '', ...next].join('\n')
}
