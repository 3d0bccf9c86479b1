/** What is shown of the runs, and how: metric, axes, smoothing, means. All of it stands in the address. */
import { useId } from 'preact/hooks'

import { query, setQuery } from '../router.ts'
import { differing } from './axes.ts'
import type { RunInfo } from './runs-of.ts'

interface SettingsProps {
  readonly metrics: readonly string[]
  readonly metric: string
  readonly runs: readonly RunInfo[]
}

export function Settings({ metrics, metric, runs }: SettingsProps) {
  const shown = query.value
  const list = useId()
  const x = shown.get('x') ?? 'step'
  const toggle = (key: string, title: string) => (
    <button
      class="chip"
      aria-pressed={shown.get(key) !== null}
      onClick={() => setQuery({ [key]: shown.get(key) === null ? '1' : null })}
    >
      {title}
    </button>
  )
  return (
    <div class="tools">
      <label class="choice">
        Metric{' '}
        <input
          class="metric"
          list={list}
          defaultValue={metric}
          key={metric}
          onChange={({ currentTarget }) => {
            const found =
              metrics.find((name) => name === currentTarget.value) ??
              metrics.find((name) => name.includes(currentTarget.value))
            if (found) setQuery({ metric: found })
            else currentTarget.value = metric
          }}
        />
        <datalist id={list}>
          {metrics.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label class="choice">
        Over{' '}
        <select
          value={x}
          onChange={({ currentTarget }) => setQuery({ x: currentTarget.value === 'step' ? null : currentTarget.value })}
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
        Means by{' '}
        <select value={shown.get('by') ?? ''} onChange={({ currentTarget }) => setQuery({ by: currentTarget.value })}>
          <option value="">no means</option>
          {differing(runs).map((name) => (
            <option key={name} value={`params.${name}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {toggle('logy', 'log up')}
      {toggle('logx', 'log across')}
      <label class="choice">
        Smooth{' '}
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={shown.get('smooth') ?? '0'}
          onInput={({ currentTarget }) =>
            setQuery({ smooth: currentTarget.value === '0' ? null : currentTarget.value })
          }
        />
      </label>
    </div>
  )
}
