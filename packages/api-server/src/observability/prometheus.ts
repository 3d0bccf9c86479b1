/**
 * The text format of Prometheus, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 * @module
 */

/** Content type of the format. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string>>

/** A value with what tells it from the others of its metric; `suffix` follows the name, as `_bucket`. */
export interface Sample {
  readonly value: number
  readonly labels?: Labels
  readonly suffix?: string
}

/** A metric. Units are base units, and counters end in `_total`. */
export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The text of metrics, each with its samples together; one without samples is left out. */
export const prometheusText = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${text(value)}`,
      )
      return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')

/** Samples of a histogram. `within[i]` counts what does not exceed `bounds[i]`; its last one counts all. */
export function histogramSamples(
  labels: Labels,
  { bounds, within, sum }: { bounds: readonly number[]; within: readonly number[]; sum: number },
): Sample[] {
  const buckets = within.map((count, at) => ({
    suffix: '_bucket',
    labels: { ...labels, le: text(bounds[at] ?? Infinity) },
    value: Math.round(count),
  }))
  const count = Math.round(within.at(-1) ?? 0)
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }]
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const text = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : Number.isNaN(value) ? 'NaN' : String(value)
