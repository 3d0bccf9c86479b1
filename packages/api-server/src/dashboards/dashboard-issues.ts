/**
 * What dashboards name and nobody has: messages, flows, runs, curves, stored bytes. All of it may come later, or come back,
 * so that each is a warning (wire decision U9).
 * @module
 */
import { type ChartSource, type DashboardContent, flowPart, type Issue, type IssueCode } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { PublishedFlows } from '../flows/published-flows.ts'
import type { KnownRuns } from '../runs/known-runs.ts'

/** Where the names are looked up. */
export interface DashboardIssuesDeps {
  readonly artifacts: Pick<Artifacts, 'missing'>
  readonly published: Pick<PublishedFlows, 'dtypeOf' | 'get'>
  readonly knownRuns: KnownRuns
}

type RunSource = Extract<ChartSource, { kind: 'runs' }>
type Selection = RunSource['select']

/** A name in a content, and whether somebody has it. */
interface Finding {
  readonly code: IssueCode
  readonly isKnown: boolean
  readonly path: string
  readonly message: string
}

/** The issues of each of these contents. */
export async function dashboardIssues(
  contents: readonly DashboardContent[],
  deps: DashboardIssuesDeps,
): Promise<Issue[][]> {
  const known = await lookUp(contents, deps)
  return contents.map(({ widgets }) =>
    widgets.flatMap((widget, at) => {
      const { id, binding, source } = widget
      const place = `/content/widgets/${at}`
      const findings = [
        ...(binding ? [messageFinding(binding.message, `${place}/binding/message`, deps)] : []),
        ...(source?.kind === 'messages'
          ? source.messages.map((name, index) => messageFinding(name, `${place}/source/messages/${index}`, deps))
          : []),
        ...(source?.kind === 'runs' ? runFindings(source, `${place}/source`, known, deps) : []),
        ...(widget.type === 'image' && widget.options.artifact
          ? [artifactFinding(widget.options.artifact.digest, `${place}/options/artifact`, known)]
          : []),
      ]
      return findings.filter(({ isKnown }) => !isKnown).map((finding) => issueOf(id, finding))
    }),
  )
}

const issueOf = (widget: string, { code, message, path }: Finding): Issue => ({
  severity: 'warning',
  code,
  message: `widget "${widget}": ${message}`,
  node: null,
  path,
})

function messageFinding(name: string, path: string, { published }: DashboardIssuesDeps): Finding {
  const remedy = name.includes('.') ? 'publish the flow that has it, or name another' : 'write it as "<flow>.<message>"'
  const message = `no published flow has the message "${name}"; ${remedy}`
  return { code: 'unknown_message', isKnown: published.dtypeOf(name) !== undefined, path, message }
}

const artifactFinding = (digest: string, path: string, known: Known): Finding => ({
  code: 'unknown_artifact',
  isKnown: !known.missing.has(digest),
  path,
  message: `no bytes with the digest ${digest} are stored; upload them, then save the dashboard again`,
})

function runFindings(source: RunSource, path: string, known: Known, deps: DashboardIssuesDeps): Finding[] {
  const { select, metrics, x = 'step' } = source
  const finding = (name: string, place: string): Finding => ({
    code: 'unknown_metric',
    isKnown: isDrawn(name, select, known) || isDeclared(fullName(name, select), deps.published),
    path: `${path}/${place}`,
    message: `the runs have no curve "${name}", and no streaming port of their flow would draw it`,
  })
  const axis = x === 'step' || x === 'time' ? [] : [finding(x, 'x')]
  const curves = metrics.map((name, at) => finding(name, `metrics/${at}`))
  return [...selectionFindings(select, `${path}/select`, known, deps), ...curves, ...axis]
}

function selectionFindings(select: Selection, path: string, known: Known, deps: DashboardIssuesDeps): Finding[] {
  if ('flow' in select) {
    const message = `no flow "${select.flow}" is published; publish it, or name another`
    const isKnown = deps.published.get(select.flow) !== undefined
    return [{ code: 'unknown_flow', isKnown, path: `${path}/flow`, message }]
  }
  if ('group_id' in select) {
    const message = `there is no sweep "${select.group_id}"; it may be deleted`
    return [
      {
        code: 'unknown_run',
        isKnown: known.groups.has(select.group_id.toLowerCase()),
        path: `${path}/group_id`,
        message,
      },
    ]
  }
  return select.ids.map((id, at) => ({
    code: 'unknown_run',
    isKnown: known.runs.has(id.toLowerCase()),
    path: `${path}/ids/${at}`,
    message: `there is no run "${id}"; it may be deleted`,
  }))
}

/** Whether one of the selected runs has the curve. */
function isDrawn(name: string, select: Selection, { curves }: Known): boolean {
  const full = fullName(name, select)
  const drawn = curves.get(keyOf(select)) ?? new Set()
  return full === null ? [...drawn].some((curve) => curve.endsWith(`.${name}`)) : drawn.has(full)
}

/** The qualified name of a curve; null when it may be one of any flow. */
function fullName(name: string, select: Selection): string | null {
  if (name.includes('.')) return name
  return 'flow' in select ? `${select.flow}.${name}` : null
}

/** Whether runs of a published flow draw the curve. */
function isDeclared(name: string | null, published: DashboardIssuesDeps['published']): boolean {
  if (name === null) return false
  const ports = published.get(flowPart(name))?.nodes.flatMap((node) => node.ports) ?? []
  return ports.some(({ direction, stream, message }) => direction === 'output' && stream && message === name)
}

/** What there is of what contents name, as the database has it. */
interface Known {
  readonly runs: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  /** Curves by the selection of runs, where one is named that no published flow declares. */
  readonly curves: ReadonlyMap<string, ReadonlySet<string>>
  /** Digests of no stored bytes. */
  readonly missing: ReadonlySet<string>
}

async function lookUp(contents: readonly DashboardContent[], deps: DashboardIssuesDeps): Promise<Known> {
  const { artifacts, knownRuns, published } = deps
  const widgets = contents.flatMap((content) => content.widgets)
  const sources = widgets.flatMap(({ source }) => (source?.kind === 'runs' ? [source] : []))
  const selections = sources.map(({ select }) => select)
  const undeclared = sources.filter(({ select, metrics, x = 'step' }) =>
    [...metrics, ...(x === 'step' || x === 'time' ? [] : [x])].some(
      (name) => !isDeclared(fullName(name, select), published),
    ),
  )
  const asked = new Map(undeclared.map(({ select }) => [keyOf(select), select]))
  const digests = widgets.flatMap((widget) => (widget.type === 'image' ? (widget.options.artifact?.digest ?? []) : []))
  const [runs, groups, missing, ...curves] = await Promise.all([
    knownRuns.ids(selections.flatMap((select) => ('ids' in select ? uuids(select.ids) : []))),
    knownRuns.groups(selections.flatMap((select) => ('group_id' in select ? uuids([select.group_id]) : []))),
    artifacts.missing([...new Set(digests)]),
    ...[...asked].map(async ([key, select]) => [key, await knownRuns.curves(filterOf(select))] as const),
  ])
  return { runs, groups, missing: new Set(missing), curves: new Map(curves) }
}

const filterOf = (select: Selection) => {
  if ('flow' in select) return { flows: [select.flow] }
  // what is no id at all is no run's
  if ('ids' in select) return { ids: uuids(select.ids) }
  const [group] = uuids([select.group_id])
  return group === undefined ? { ids: [] } : { group }
}

const keyOf = (select: Selection): string => JSON.stringify('flow' in select ? select.flow : select)

const uuids = (ids: readonly string[]): string[] =>
  ids.filter((id) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
