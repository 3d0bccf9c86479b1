import { printable, table } from './table.ts'
import { counted, dim, status } from './terminal.ts'

/** A finding about a document. */
interface Finding {
  readonly severity: 'error' | 'warning' | 'advisory'
  readonly message: string
  readonly path: string | null
}

/** How many findings of each kind: `2 errors, 1 warning`; `no issues` without any. */
export function issueSummary(issues: readonly Pick<Finding, 'severity'>[]): string {
  const nouns = { error: 'error', warning: 'warning', advisory: 'hint' } as const
  const parts = (['error', 'warning', 'advisory'] as const).flatMap((severity) => {
    const count = issues.filter((issue) => issue.severity === severity).length
    return count > 0 ? [counted(count, nouns[severity])] : []
  })
  return parts.length > 0 ? parts.join(', ') : 'no issues'
}

/** Findings as lines: severity, place, what is wrong and what to do. */
export function issueLines(issues: readonly Finding[]): string[] {
  if (issues.length === 0) return []
  const rows = issues.map(({ severity, path, message }) => [
    `  ${status(severity)}`,
    dim(path ?? ''),
    printable(message),
  ])
  // without the header, which the words do not need
  return table(['', '', ''], rows, '').split('\n').slice(1)
}
