/**
 * A report of runs as one HTML page without scripts or further files: what differs between them, their curves beside
 * each other, their nodes and results.
 * @module
 */
import type { MetricSeries, Run } from '@flow-service/client-sdk'

import { number } from './curve.ts'
import { duration, varying } from './table.ts'

/** A run with its curves. */
export interface ReportedRun {
  readonly run: Run
  readonly curves: readonly MetricSeries[]
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; white-space: nowrap }
svg { width: 100%; height: auto; max-width: 44rem } pre { overflow-x: auto; background: #8881; padding: .75rem }
.ok { color: #1a7f37 } .error, .abandoned { color: #c22 } .cancelled, .queued, .running { color: #a60 }
figure { margin: 1rem 0 } figcaption { font-weight: 600 } .muted { opacity: .7 }`

const COLOURS = ['#0a7ea4', '#c2410c', '#7c3aed', '#15803d', '#be123c', '#a16207', '#0f766e', '#4338ca']

/** The page. */
export function reportPage(runs: readonly ReportedRun[], now: Date): string {
  const flows = [...new Set(runs.map(({ run }) => run.flow))]
  const headings = headingsOf(runs)
  const title = `${flows.join(', ')}: ${runs.length} run${runs.length === 1 ? '' : 's'}`
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1><p class="muted">Made ${now.toISOString().slice(0, 19).replace('T', ' ')} UTC</p>`,
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

/** One picture a metric, with a curve for each run that has it. */
function figures(runs: readonly ReportedRun[]): string[] {
  const names = [...new Set(runs.flatMap(({ curves }) => curves.map(({ name }) => name)))]
  const labels = labelsOf(runs)
  return names.map((name) => {
    const curves = runs.flatMap(({ curves: own }, at) => {
      const points = own.find((curve) => curve.name === name)?.points ?? []
      const finite = points
        .map(({ step, value }) => ({ x: step, y: Number(value) }))
        .filter(({ y }) => Number.isFinite(y))
      return finite.length === 0 ? [] : [{ label: labels[at]!, colour: COLOURS[at % COLOURS.length]!, points: finite }]
    })
    return `<figure><figcaption>${escaped(name)}</figcaption>${picture(curves)}</figure>`
  })
}

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

interface Drawn {
  /** As HTML. */
  readonly label: string
  readonly colour: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

function picture(curves: readonly Drawn[]): string {
  const all = curves.flatMap(({ points }) => points)
  if (all.length === 0) return '<p class="muted">No finite points.</p>'
  const [width, height, left, bottom] = [700, 260, 60, 24]
  const xs = all.map(({ x }) => x)
  const ys = all.map(({ y }) => y)
  const bounds = (values: number[]): [number, number] => {
    const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]
    return low === high ? [low - 0.5, high + 0.5] : [low, high]
  }
  const [x0, x1] = bounds(xs)
  const [y0, y1] = bounds(ys)
  const place = ({ x, y }: { x: number; y: number }): string =>
    `${(left + ((x - x0) / (x1 - x0)) * (width - left)).toFixed(1)},${(((y1 - y) / (y1 - y0)) * (height - bottom)).toFixed(1)}`
  const lines = curves.map(
    ({ colour, points, label }) =>
      `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.map(place).join(' ')}"><title>${label}</title></polyline>`,
  )
  const labels = [
    [0, 12, number(y1)],
    [0, height - bottom, number(y0)],
    [left, height - 4, number(x0)],
    [width - 40, height - 4, number(x1)],
  ].map(([x, y, label]) => `<text x="${x}" y="${y}" font-size="12" fill="currentColor">${label}</text>`)
  const legend = curves.map(({ colour, label }) => `<span style="color:${colour}">●</span> ${label}`).join(' ')
  return `<svg viewBox="0 0 ${width} ${height}" role="img">${lines.join('')}${labels.join('')}</svg><p>${legend}</p>`
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

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</table>`

/** A value in a cell. */
function text(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'number') return number(value)
  const json = typeof value === 'string' ? value : JSON.stringify(value)
  return escaped(json.length > 40 ? `${json.slice(0, 37)}...` : json)
}

const escaped = (given: string): string => given.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
