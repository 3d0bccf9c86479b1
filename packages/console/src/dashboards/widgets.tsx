/** Widgets that show one value: as a text, on a scale, or as a picture. */
import type { ComponentChildren } from 'preact'

import { number, oneLine } from '../format.ts'
import { ArtifactPicture, isPicture } from '../parts/artifact-picture.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { useNewest, type WidgetProps } from './newest.ts'

const Nothing = ({ children = 'no value yet' }: { children?: ComponentChildren }) => <p class="hint">{children}</p>

export function ValueWidget(props: WidgetProps<'value'>) {
  const value = useNewest(props)
  const { unit, decimals } = props.widget.options
  if (value === undefined) return <Nothing />
  if (isPicture(value)) return <ArtifactPicture of={value} alt={props.widget.title || 'The newest picture'} />
  if (typeof value === 'object' && value !== null) return <JsonView of={value} depth={2} />
  const text = typeof value === 'number' ? withDecimals(value, decimals) : oneLine(value, 200)
  return (
    <p class="big">
      {text} {unit === undefined ? null : <small>{unit}</small>}
    </p>
  )
}

const withDecimals = (value: number, decimals: number | undefined): string =>
  decimals === undefined ? number(value) : value.toFixed(decimals)

export function GaugeWidget(props: WidgetProps<'gauge'>) {
  const value = useNewest(props)
  const { min, max, unit, thresholds } = props.widget.options
  if (typeof value !== 'number') return <Nothing>{value === undefined ? 'no value yet' : 'not a number'}</Nothing>
  const share = Math.max(0, Math.min(1, (value - min) / (max - min)))
  const level = (thresholds ?? []).toSorted((a, b) => b.from - a.from).find(({ from }) => value >= from)?.level ?? 'ok'
  // half a circle, from the left to the right
  const angle = Math.PI * (1 - share)
  const end = `${(60 + 50 * Math.cos(angle)).toFixed(2)} ${(60 - 50 * Math.sin(angle)).toFixed(2)}`
  return (
    <div class="gauge">
      <svg
        viewBox="0 0 120 66"
        role="meter"
        aria-label={props.widget.title || 'Gauge'}
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuemax={max}
      >
        <path class="gauge-ground" d="M10 60A50 50 0 0 1 110 60" />
        {share > 0 ? <path class={`gauge-${level}`} d={`M10 60A50 50 0 0 1 ${end}`} /> : null}
      </svg>
      <p class="big">
        {number(value)} {unit === undefined ? null : <small>{unit}</small>}
      </p>
      <p class="ends">
        <span>{number(min)}</span>
        <span>{level === 'ok' ? '' : level}</span>
        <span>{number(max)}</span>
      </p>
    </div>
  )
}

export function ImageWidget(props: WidgetProps<'image'>) {
  const value = useNewest(props)
  const { artifact } = props.widget.options
  const shown = isPicture(value) ? value : isPicture(artifact) ? artifact : null
  const alt = props.widget.title || 'A picture'
  if (shown) return <ArtifactPicture of={shown} alt={alt} />
  return <Nothing>{value === undefined ? 'no picture yet' : 'not a picture that can be shown here'}</Nothing>
}
