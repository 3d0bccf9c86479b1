import type { Flow } from '@flow-service/client-sdk'

import { issueLines, issueSummary } from '../issues.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, counted, dim, printAnswer, shortTime, status } from '../terminal.ts'

/** `service flows list`. */
export async function listFlows(flags: ClientFlags): Promise<void> {
  const flows = await connect(flags).flows.list()
  const rows = flows.map(
    ({
      name,
      mode,
      status: state,
      version,
      issues,
      failed_nodes: failed,
      has_draft: hasDraft,
      updated_at: at,
      title,
    }) => [
      name,
      mode,
      `${status(state)}${failed > 0 ? `, ${failed} failed` : ''}`,
      `${version}${hasDraft ? ' (draft)' : ''}`,
      countsText(issues),
      shortTime(at),
      oneLine(title, 60),
    ],
  )
  printAnswer(flows, flags.json, () =>
    table(['NAME', 'MODE', 'STATUS', 'VERSION', 'ISSUES', 'UPDATED', 'TITLE'], rows, 'No flows yet.'),
  )
}

/** How many errors and warnings there are; `-` without any. */
function countsText({ error, warning }: { readonly error: number; readonly warning: number }): string {
  const parts = [error > 0 ? counted(error, 'error') : '', warning > 0 ? counted(warning, 'warning') : '']
  return parts.filter((part) => part !== '').join(', ') || '-'
}

interface GetFlags extends ClientFlags {
  readonly published?: boolean
}

/** `service flows get <flow>`. */
export async function getFlow(name: string, flags: GetFlags): Promise<void> {
  const flow = await connect(flags).flows.get(name, flags.published ? { published: true } : {})
  printAnswer(flow, flags.json, () => describeFlow(flow))
}

/** `service flows validate <flow>`: exit code 1 with errors. */
export async function validateFlow(name: string, flags: ClientFlags): Promise<void> {
  const result = await connect(flags).flows.validate(name)
  printAnswer(result, flags.json, () =>
    [`${name}: ${issueSummary(result.issues)}`, ...issueLines(result.issues)].join('\n'),
  )
  if (!result.valid) process.exitCode = 1
}

/** A flow for people: head line, inputs, nodes, issues. */
export function describeFlow(flow: Flow): string {
  const states = new Map(flow.node_states.map((state) => [state.node, state]))
  const nodes = flow.nodes.map(({ id, type, ports }) => {
    const state = states.get(id)
    const readings = ports.filter(({ direction }) => direction === 'input').map(({ message }) => message)
    const sent = ports.filter(({ direction }) => direction === 'output').map(({ message }) => message)
    return [
      `  ${id}`,
      type,
      state === undefined ? '' : status(state.health === 'ok' ? state.status : state.health),
      `${readings.join(', ')}${sent.length > 0 ? ` -> ${sent.join(', ')}` : ''}`.trim(),
      oneLine(state?.error?.message ?? state?.message ?? '', 60),
    ]
  })
  const versions = [
    `version ${flow.version}`,
    flow.has_draft ? 'draft' : '',
    flow.published_version === null ? 'not published' : `published ${flow.published_version}`,
    flow.origin === 'code' ? `defined in ${flow.code?.module}` : '',
  ]
  const inputs = flow.inputs.map(({ name, dtype, initial }) => [`  ${name}`, dtype, oneLine(initial, 60)])
  return [
    `${bold(flow.name)}  ${flow.mode}, ${status(flow.status)}  ${dim(versions.filter((part) => part !== '').join(', '))}`,
    ...(flow.title === '' ? [] : [oneLine(flow.title, 200)]),
    ...(flow.held > 0 ? [flow.held === 1 ? '1 delivery is held' : `${flow.held} deliveries are held`] : []),
    ...(inputs.length > 0 ? [table(['  INPUT', 'DTYPE', 'INITIAL'], inputs, '')] : []),
    ...(nodes.length > 0 ? [table(['  NODE', 'TYPE', 'STATE', 'MESSAGES', ''], nodes, '')] : ['  no nodes yet']),
    ...(flow.issues.length > 0 ? [issueSummary(flow.issues), ...issueLines(flow.issues)] : []),
  ].join('\n')
}
