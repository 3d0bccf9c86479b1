/**
 * `service dashboards`: list, show, from-flow, export, import, publish, delete.
 * @module
 */
import { readFileSync } from 'node:fs'

import type { Dashboard, DashboardSave } from '@flow-service/client-sdk'

import { parseJson } from '../document-file.ts'
import { CommandFailure, isRefusal } from '../failure.ts'
import { issueLines, issueSummary } from '../issues.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, dim, printAnswer, shortTime } from '../terminal.ts'

/** `service dashboards list`. */
export async function listDashboards(flags: ClientFlags): Promise<void> {
  const dashboards = await connect(flags).dashboards.list()
  const rows = dashboards.map(({ name, version, published_version, has_draft, origin, issues, updated_at, title }) => [
    name,
    `${version}${published_version === null ? ' (unpublished)' : has_draft ? ' (draft)' : ''}`,
    origin,
    issues.length === 0 ? '-' : String(issues.length),
    shortTime(updated_at),
    oneLine(title, 60),
  ])
  printAnswer(dashboards, flags.json, () =>
    table(['NAME', 'VERSION', 'ORIGIN', 'ISSUES', 'UPDATED', 'TITLE'], rows, 'No dashboards yet.'),
  )
}

interface ReadFlags extends ClientFlags {
  readonly published?: boolean
}

const read = (name: string, flags: ReadFlags): Promise<Dashboard> =>
  connect(flags).dashboards.get(name, flags.published ? {} : { draft: true })

/** `service dashboards show <dashboard>`. */
export async function showDashboard(name: string, flags: ReadFlags): Promise<void> {
  const dashboard = await read(name, flags)
  const { content, issues, title, is_draft: isDraft } = dashboard
  const rows = content.widgets.map((widget) => [
    widget.id,
    widget.type,
    `${widget.x},${widget.y} ${widget.w}x${widget.h}`,
    oneLine(shownBy(widget), 80),
  ])
  printAnswer(dashboard, flags.json, () =>
    [
      `${stateOf(dashboard)}${isDraft ? ', draft' : ''}${title === '' ? '' : `: ${oneLine(title, 80)}`}, ${issueSummary(issues)}`,
      table(['WIDGET', 'TYPE', 'PLACE', 'SHOWS'], rows, dim('no widgets yet')),
      ...issueLines(issues),
    ].join('\n'),
  )
}

/** The message, the runs, or the text of a widget. */
function shownBy(widget: Dashboard['content']['widgets'][number]): string {
  const { binding, source, title } = widget
  if (binding) return binding.message
  if (!source) return widget.type === 'text' ? widget.options.markdown : title
  if (source.kind === 'messages') return source.messages.join(', ')
  const { select, metrics } = source
  if ('flow' in select) return `${metrics.join(', ')} of the newest ${select.latest} runs of ${select.flow}`
  return `${metrics.join(', ')} of ${'ids' in select ? `${select.ids.length} runs` : `sweep ${select.group_id}`}`
}

/** `service dashboards from-flow <flow> [name]`. */
export async function fromFlow(flow: string, name: string | undefined, flags: ClientFlags): Promise<void> {
  const dashboard = await connect(flags).dashboards.fromFlow(flow, name === undefined ? {} : { name })
  printAnswer(dashboard, flags.json, () => `made ${stateOf(dashboard)} of the results of ${flow}`)
}

/** `service dashboards export <dashboard>`: what `import` reads. */
export async function exportDashboard(name: string, flags: ReadFlags): Promise<void> {
  const { title, content } = await read(name, flags)
  console.log(JSON.stringify({ title, content }, null, 2))
}

interface ImportFlags extends ClientFlags {
  readonly publish?: boolean
  readonly version?: number
}

/** `service dashboards import <dashboard> <file>`: saves over what is there, or makes a new one. */
export async function importDashboard(name: string, file: string, flags: ImportFlags): Promise<void> {
  const body = readFile(file)
  const { dashboards } = connect(flags)
  const { version } = flags
  const saved = await dashboards
    .save(name, { ...body, ...(version === undefined ? {} : { version }) })
    .catch((error: unknown) => {
      if (!isRefusal(error) || error.status !== 404 || version !== undefined) throw error
      return dashboards.create(name, { ...body })
    })
  const dashboard = flags.publish ? await dashboards.publish(name, { version: saved.version }) : saved
  printAnswer(dashboard, flags.json, () =>
    [
      `${flags.publish ? 'saved and published' : 'saved the draft of'} ${stateOf(dashboard)}, ${issueSummary(dashboard.issues)}`,
      ...issueLines(dashboard.issues),
    ].join('\n'),
  )
}

/** Title and content as they stand in the file; the engine says what is wrong with them. */
function readFile(file: string): Pick<DashboardSave, 'title' | 'content'> {
  const shown = file === '-' ? 'standard input' : file
  const parsed = parseJson(readFileSync(file === '-' ? 0 : file, 'utf8'), shown)
  const keys = typeof parsed === 'object' && parsed !== null ? Object.keys(parsed) : []
  if (keys.length > 0 && keys.every((key) => key === 'title' || key === 'content')) return parsed as object
  throw new CommandFailure(
    2,
    `${shown} holds no dashboard: it has to be a JSON object with "title" and "content", and no more`,
  )
}

interface PublishFlags extends ClientFlags {
  readonly version?: number
}

/** `service dashboards publish <dashboard>`. */
export async function publishDashboard(name: string, { version, ...flags }: PublishFlags): Promise<void> {
  const dashboard = await connect(flags).dashboards.publish(name, version === undefined ? {} : { version })
  printAnswer(dashboard, flags.json, () => `published ${stateOf(dashboard)}`)
}

/** `service dashboards delete <dashboard>`. */
export async function deleteDashboard(name: string, flags: ClientFlags): Promise<void> {
  await connect(flags).dashboards.delete(name)
  printAnswer({ deleted: name }, flags.json, () => `deleted ${name}`)
}

const stateOf = ({ name, version }: Pick<Dashboard, 'name' | 'version'>): string => `${bold(name)}, version ${version}`
