import { type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'

/** `service flows list`. */
export async function listFlows(flags: ClientFlags): Promise<void> {
  const flows = await connect(flags).flows.list()
  if (flags.json) return console.log(JSON.stringify(flows, null, 2))
  const rows = flows.map(({ name, mode, status, version, issues, title }) => [
    name,
    mode,
    status,
    String(version),
    issues.error + issues.warning > 0 ? `${issues.error} errors, ${issues.warning} warnings` : '-',
    title,
  ])
  console.log(table(['NAME', 'MODE', 'STATUS', 'VERSION', 'ISSUES', 'TITLE'], rows, 'No flows yet.'))
}
