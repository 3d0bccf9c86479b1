/** The runs beside their curves, by their last values; or the groups of them whose means are shown. */
import { number } from '../format.ts'
import type { Series } from '../parts/chart/series.ts'
import { Swatch } from '../parts/chart/swatch.tsx'
import { lastOf } from './curves-of.ts'

interface LegendProps {
  readonly runs: readonly string[]
  readonly nameOf: (run: string) => string
  /** In what it differs from the others. */
  readonly aboutOf: (run: string) => string
  readonly colourOf: (run: string) => string
  readonly textOf: (run: string) => string
  readonly kept: ReadonlySet<string> | null
  readonly hot: string | null
  readonly heat: (run: string | null) => void
  /** The one that is shown alone. */
  readonly chosen: string | null
  readonly choose: (run: string) => void
  /** The greatest value comes first. */
  readonly isDown: boolean
  readonly turn: () => void
}

export const Legend = ({
  runs,
  nameOf,
  aboutOf,
  colourOf,
  textOf,
  kept,
  hot,
  heat,
  chosen,
  choose,
  isDown,
  turn,
}: LegendProps) => (
  <aside class="card legend" aria-label="Runs by their last value">
    <header>
      <span>Run</span>
      <button class="bare" onClick={turn} title={isDown ? 'The greatest first' : 'The least first'}>
        Last value {isDown ? '↓' : '↑'}
      </button>
    </header>
    <ul>
      {runs.map((run) => (
        <li key={run} class={[run === hot ? 'hot' : '', kept?.has(run) === false ? 'out' : ''].join(' ')}>
          <button
            class="bare"
            aria-pressed={run === chosen}
            title="Show it alone"
            onClick={() => choose(run)}
            onMouseEnter={() => heat(run)}
            onMouseLeave={() => heat(null)}
            onFocus={() => heat(run)}
            onBlur={() => heat(null)}
          >
            <Swatch colour={colourOf(run)} />
            <code>{nameOf(run)}</code>
            <small title={aboutOf(run)}>{aboutOf(run)}</small>
            <span class="num">{textOf(run)}</span>
          </button>
          <a href={`#/runs/${run}`} aria-label={`Open run ${nameOf(run)}`}>
            ↗
          </a>
        </li>
      ))}
    </ul>
  </aside>
)

interface MeansProps {
  readonly means: readonly Series[]
  readonly hot: string | null
  readonly heat: (key: string | null) => void
}

export const Means = ({ means, hot, heat }: MeansProps) => (
  <aside class="card legend" aria-label="Means, with bands of a deviation">
    <ul>
      {means.map(({ key, name, colour, ys }) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only beside what is written
        <li key={key} class={key === hot ? 'hot' : ''} onMouseEnter={() => heat(key)} onMouseLeave={() => heat(null)}>
          <Swatch colour={colour} />
          <span class="grow">{name}</span>
          <b class="num">{number(lastOf({ ys }))}</b>
        </li>
      ))}
    </ul>
    <p class="hint">Mean of the runs at each step, and one deviation around it.</p>
  </aside>
)
