/** A dot for each run: one axis against another, to see what a parameter does. */
import { useMemo } from 'preact/hooks'

import type { Axis } from './axes.ts'
import { change } from './shown.ts'

interface ScatterProps {
  readonly runs: readonly string[]
  readonly axes: readonly Axis[]
  /** Names of the chosen axes; the first and the last unless given. */
  readonly x: string | null
  readonly y: string | null
  readonly colourOf: (run: string) => string
  readonly nameOf: (run: string) => string
  readonly kept: ReadonlySet<string> | null
  readonly hot: string | null
  readonly heat: (run: string | null) => void
  readonly choose: (run: string) => void
}

const [WIDTH, HEIGHT] = [480, 240]
const box = { left: 12, top: 12, right: WIDTH - 12, bottom: HEIGHT - 12 }

export function Scatter(props: ScatterProps) {
  const { runs, axes, colourOf, nameOf, kept, hot, heat, choose } = props
  const x = axes.find(({ name }) => name === props.x) ?? axes[0]
  const y = axes.find(({ name }) => name === props.y) ?? axes.at(-1)
  const dots = useMemo(
    () =>
      runs.flatMap((run) => {
        const [across, up] = [x?.placeOf(run) ?? null, y?.placeOf(run) ?? null]
        return across === null || up === null ? [] : [{ run, across, up }]
      }),
    [runs, x, y],
  )
  if (!x || !y) return null
  const choice = (title: string, key: string, chosen: Axis) => (
    <label class="choice">
      {title}{' '}
      <select value={chosen.name} onChange={({ currentTarget }) => change({ [key]: currentTarget.value })}>
        {axes.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <div class="tools">
        {choice('x', 'sx', x)}
        {choice('y', 'sy', y)}
      </div>
      <div class="scatter-grid">
        <Ends axis={y} />
        <div>
          <svg
            class="scatter"
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            role="img"
            aria-label={`${dots.length} runs: ${y.name} over ${x.name}`}
            onMouseLeave={() => heat(null)}
          >
            <path class="frame" d={`M${box.left} ${box.top}V${box.bottom}H${box.right}`} />
            {dots
              .toSorted((a, b) => Number(a.run === hot) - Number(b.run === hot))
              .map(({ run, across, up }) => (
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the list of runs is for keys
                <circle
                  key={run}
                  cx={box.left + across * (box.right - box.left)}
                  cy={box.bottom - up * (box.bottom - box.top)}
                  r={run === hot ? 6 : 4}
                  fill={kept !== null && !kept.has(run) ? 'var(--line)' : colourOf(run)}
                  onMouseEnter={() => heat(run)}
                  onClick={() => choose(run)}
                >
                  <title>{`${nameOf(run)}\n${x.name}: ${x.textOf(run)}\n${y.name}: ${y.textOf(run)}`}</title>
                </circle>
              ))}
          </svg>
          <Ends axis={x} isAcross />
        </div>
      </div>
    </>
  )
}

/** The ends of an axis, or its first and last word, with its name between them. */
const Ends = ({ axis: { name, isLog, ticks }, isAcross = false }: { axis: Axis; isAcross?: boolean }) => (
  <div class={isAcross ? 'axis-ends across' : 'axis-ends up'} aria-hidden="true">
    <span>{ticks[0]?.text}</span>
    <b>
      {name}
      {isLog ? ' (log)' : ''}
    </b>
    <span>{ticks.length > 1 ? ticks.at(-1)?.text : ''}</span>
  </div>
)
