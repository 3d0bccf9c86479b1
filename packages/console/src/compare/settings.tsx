/** What is shown of the runs, and how: metric, axes, smoothing, means. All of it stands in the address. */
import { useId } from 'preact/hooks'

import { differing } from './axes.ts'
import type { RunInfo } from './runs-of.ts'
import { change, shown as now } from './shown.ts'

interface SettingsProps {
  readonly metrics: readonly string[]
  readonly metric: string
  readonly runs: readonly RunInfo[]
}

export function Settings({ metrics, metric, runs }: SettingsProps) {
  const shown = now.value
  const x = shown.get('x') ?? 'step'
  const toggle = (key: string, title: string) => (
    <button
      class="chip"
      aria-pressed={shown.get(key) !== null}
      onClick={() => change({ [key]: shown.get(key) === null ? '1' : null, zoom: null })}
    >
      {title}
    </button>
  )
  return (
    <div class="tools">
      <MetricField metrics={metrics} metric={metric} />
      <label class="choice">
        Over{' '}
        <select
          value={x}
          onChange={({ currentTarget }) =>
            change({ x: currentTarget.value === 'step' ? null : currentTarget.value, zoom: null })
          }
        >
          <option value="step">step</option>
          <option value="time">time since its start</option>
          {metrics
            .filter((name) => name !== metric)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </label>
      <label class="choice">
        Average by{' '}
        <select
          value={shown.get('by') ?? ''}
          onChange={({ currentTarget }) => change({ by: currentTarget.value, zoom: null })}
        >
          <option value="">no means</option>
          {differing(runs).map((name) => (
            <option key={name} value={`params.${name}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {toggle('logy', 'log y')}
      {toggle('logx', 'log x')}
      <label class="choice">
        Smooth{' '}
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={shown.get('smooth') ?? '0'}
          onInput={({ currentTarget }) => change({ smooth: currentTarget.value === '0' ? null : currentTarget.value })}
        />
      </label>
    </div>
  )
}

/** By a part of its name, or from the list of them. */
function MetricField({ metrics, metric }: Omit<SettingsProps, 'runs'>) {
  const list = useId()
  return (
    <label class="choice">
      Metric{' '}
      <input
        class="metric"
        list={list}
        defaultValue={metric}
        key={metric}
        onChange={({ currentTarget }) => {
          const text = currentTarget.value
          const found = metrics.find((name) => name === text) ?? metrics.find((name) => name.includes(text))
          if (found) change({ metric: found, zoom: null })
          else currentTarget.value = metric
        }}
      />
      <datalist id={list}>
        {metrics.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  )
}
