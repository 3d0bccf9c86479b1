/**
 * A report of runs as one HTML page without scripts or further files: what differs between them, their curves beside
 * each other, their nodes and results.
 * @module
 */
import type { MetricSeries, Run } from '@flow-service/client-sdk'

import { number } from './curve.ts'
import { type Drawn, picture, PICTURE_STYLE } from './report-picture.ts'
import {
  type Aim,
  groupText,
  isBest,
  keyText,
  type MeanCurve,
  metricsOf,
  type RunGroup,
  spreadNotes,
  spreadText,
} from './run-groups.ts'
import { duration, oneLine, printable, varying } from './table.ts'
import { counted } from './terminal.ts'

/** A run with its curves. */
export interface ReportedRun {
  readonly run: Run
  readonly curves: readonly MetricSeries[]
}

/** Groups of the runs, with their curves. */
export interface ReportedGroups {
  readonly groups: readonly RunGroup[]
  readonly curves: ReadonlyMap<RunGroup, readonly MeanCurve[]>
  /** By which they are sorted; null where they are in the order of their values. */
  readonly aim: Aim | null
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --paper: #fff; --ink: #1b1f24 }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); color: var(--ink) }
h1 { font-size: 1.6rem; margin-bottom: 0 } h1 + p { margin-top: .25rem } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .3rem 1.25rem .3rem 0; border-bottom: 1px solid #8884; white-space: nowrap }
th { font-weight: 600 } tr.best td { background: #2da44e22; font-weight: 600 } tr.best td:first-child { padding-left: .5rem }
svg { width: 100%; height: auto; max-width: 46rem } pre { overflow-x: auto; background: #8882; padding: .75rem }
.ok { color: var(--good) } .error, .abandoned { color: var(--bad) } .cancelled, .queued, .running { color: var(--open) }
figure { margin: 1.5rem 0 } figcaption { font-weight: 600; margin-bottom: .25rem } figcaption span { font-weight: 400 } .muted { opacity: .7 }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; padding: 0; margin: .25rem 0; list-style: none }
a { color: inherit }
${PICTURE_STYLE}
:root { --good: #1a7f37; --bad: #c2222b; --open: #9a6000 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e3e6ea; --good: #4ac26b; --bad: #ff7b72; --open: #e0a030 }
}`

/** The page. */
export function reportPage(runs: readonly ReportedRun[], now: Date, grouped: ReportedGroups | null = null): string {
  const flows = [...new Set(runs.map(({ run }) => run.flow))]
  const headings = headingsOf(runs)
  const title = `${flows.join(', ')}: ${runs.length} run${runs.length === 1 ? '' : 's'}`
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1><p class="muted">Made ${now.toISOString().slice(0, 19).replace('T', ' ')} UTC</p>`,
    ...(grouped ? [groupTable(grouped), ...groupFigures(grouped), '<h2>Runs</h2>'] : []),
    overview(runs),
    ...figures(runs),
    ...runs.map((reported, at) => details(reported, headings[at]!)),
    '</body></html>',
  ].join('\n')
}

/** What the runs were given and where it led, side by side. */
function overview(runs: readonly ReportedRun[]): string {
  const params = [...new Set(runs.flatMap(({ run }) => run.inputs.map(({ name }) => name)))]
  const metrics = [...new Set(runs.flatMap(({ run }) => run.metrics.map(({ name }) => name)))]
  const results = [...new Set(runs.flatMap(({ run }) => numbersIn(run.result)))]
  const row = ({ run }: ReportedRun): string[] => [
    `<a href="#${run.id}">${run.id.slice(-12)}</a>`,
    `<span class="${run.status}">${run.status}</span>`,
    duration(run.duration_s),
    ...params.map((name) => text(run.inputs.find((input) => input.name === name)?.value)),
    ...metrics.map((name) => text(run.metrics.find((metric) => metric.name === name)?.last)),
    ...results.map((name) => text(run.result?.[name])),
  ]
  const head = ['Run', 'Status', 'Duration', ...params, ...metrics.map((name) => `last ${name}`), ...results]
  return tableOf(head.map(escaped), runs.map(row))
}

const numbersIn = (result: Run['result']): string[] =>
  Object.entries(result ?? {}).flatMap(([name, value]) => (typeof value === 'number' ? [name] : []))

/** What the runs of each group ended with, on average. */
function groupTable({ groups, aim }: ReportedGroups): string {
  const fields = Object.keys(groups[0]?.key ?? {})
  const metrics = metricsOf(groups)
  const rows = groups.map((group) => [
    ...fields.map((field) => escaped(keyText(group.key[field]))),
    String(group.runs.length),
    ...[...metrics.keys()].map((name) => spreadText(group.metrics[name] ?? null, group.runs.length)),
    isBest(group, groups, aim) ? 'best' : '',
  ])
  const inputs = fields.map((field) => oneLine(field.slice('params.'.length), 40))
  const head = [...inputs, 'Runs', ...metrics.values(), '']
  const notes = [
    ...(aim ? [`best: the ${aim.least ? 'least' : 'greatest'} mean of ${oneLine(aim.metric, 60)}`] : []),
    ...spreadNotes(groups),
  ]
  return [
    `<h2>Groups by ${escaped(inputs.join(', '))}</h2>`,
    tableOf(head.map(escaped), rows, (at) => isBest(groups[at]!, groups, aim)),
    notes.length > 0 ? `<p class="muted">${escaped(notes.join('; '))}</p>` : '',
  ].join('\n')
}

/** More bands would hide each other. */
const MAX_DRAWN_GROUPS = 8

/** One picture a metric, with the mean of each group and a band around it. */
function groupFigures({ groups, curves }: ReportedGroups): string[] {
  const drawn = groups.slice(0, MAX_DRAWN_GROUPS)
  const names = [...new Set(drawn.flatMap((group) => (curves.get(group) ?? []).map(({ metric }) => metric)))]
  const left = drawn.length < groups.length ? `; the first ${drawn.length} of ${groups.length} groups` : ''
  return names.map((name) => {
    const lines = drawn.flatMap((group, at): Drawn[] => {
      const curve = curves.get(group)?.find(({ metric }) => metric === name)
      if (!curve) return []
      const { x, mean, min, max, n } = curve
      return [
        {
          label: escaped(`${groupText(group)} (${counted(group.runs.length, 'run')})`),
          colour: at,
          points: x.map((step, which) => ({ x: step, y: mean[which]! })),
          band: n.some((runs) => runs > 1)
            ? x.map((step, which) => ({ x: step, low: min[which]!, high: max[which]! }))
            : [],
        },
      ]
    })
    const isSpread = lines.some(({ band = [] }) => band.length > 0)
    const how = `means of the groups${isSpread ? ', shaded from the least to the greatest' : ''}${left}`
    return figure(name, lines, how)
  })
}

/** One picture a metric, with a curve for each run that has it. */
function figures(runs: readonly ReportedRun[]): string[] {
  const names = [...new Set(runs.flatMap(({ curves }) => curves.map(({ name }) => name)))]
  const labels = labelsOf(runs)
  return names.map((name) => {
    const curves = runs.flatMap(({ curves: own }, at): Drawn[] => {
      const points = own.find((curve) => curve.name === name)?.points ?? []
      const finite = points
        .map(({ step, value }) => ({ x: step, y: Number(value) }))
        .filter(({ y }) => Number.isFinite(y))
      return finite.length === 0 ? [] : [{ label: labels[at]!, colour: at, points: finite }]
    })
    return figure(name, curves)
  })
}

const figure = (name: string, curves: readonly Drawn[], how = ''): string =>
  `<figure><figcaption>${escaped(name)}${how === '' ? '' : ` <span class="muted">${how}</span>`}</figcaption>${picture(curves)}</figure>`

/** The end of the id of each run, and what tells it from the others. */
const labelsOf = (runs: readonly ReportedRun[]): string[] => {
  const differences = differencesOf(runs)
  return runs.map(({ run }, at) => [run.id.slice(-12), ...differences[at]!].join(' '))
}

/** What tells each run from the others, and the end of its id. */
function headingsOf(runs: readonly ReportedRun[]): string[] {
  const differences = differencesOf(runs)
  return runs.map(({ run }, at) => [...differences[at]!, `<span class="muted">${run.id.slice(-12)}</span>`].join(' '))
}

/** The flow of each run, where there are several, and the inputs that differ. */
function differencesOf(runs: readonly ReportedRun[]): string[][] {
  const given = runs.map(({ run }) => Object.fromEntries(run.inputs.map(({ name, value }) => [name, value])))
  const differing = varying(given)
  const isMixed = new Set(runs.map(({ run }) => run.flow)).size > 1
  return runs.map(({ run }, at) => [
    ...(isMixed ? [escaped(run.flow)] : []),
    ...differing.map((name) => `${escaped(name)}=${text(given[at]?.[name])}`),
  ])
}

function details({ run }: ReportedRun, heading: string): string {
  const nodes = run.nodes.map((node) => [
    escaped(node.node),
    `<span class="${node.status}">${node.cached ? 'ok, cached' : node.status}</span>`,
    duration(node.duration_s),
    escaped(node.worker ?? ''),
    escaped(node.error?.message ?? node.cache?.why.join('; ') ?? ''),
  ])
  return [
    `<h2 id="${run.id}">${heading}</h2>`,
    `<p class="muted">Run ${run.id}</p>`,
    run.error === null ? '' : `<p class="error">${escaped(run.error.message)}</p>`,
    tableOf(['Node', 'Status', 'Duration', 'Worker', 'Why'], nodes),
    run.result === null ? '' : `<pre>${escaped(JSON.stringify(run.result, null, 2))}</pre>`,
  ].join('\n')
}

const tableOf = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isMarked: (row: number) => boolean = () => false,
): string =>
  `<table><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr>${rows
    .map(
      (cells, at) =>
        `<tr${isMarked(at) ? ' class="best"' : ''}>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
    )
    .join('')}</table>`

/** A value in a cell. */
function text(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'number') return number(value)
  const json = typeof value === 'string' ? value : JSON.stringify(value)
  return escaped(json.length > 40 ? `${json.slice(0, 37)}...` : json)
}

const escaped = (given: string): string =>
  printable(given).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
