/** How runs ended, as parts of a bar; the numbers are read out. */

interface OutcomesProps {
  readonly of: Readonly<Record<'ok' | 'error' | 'cancelled' | 'abandoned' | 'total', number>>
}

export function Outcomes({ of: { ok, error, cancelled, abandoned, total } }: OutcomesProps) {
  let from = 0
  const parts = [
    { is: 'ok', count: ok },
    { is: 'error', count: error },
    { is: 'cancelled', count: cancelled + abandoned },
  ].map(({ is, count }) => {
    const part = { is, x: from, width: (100 * count) / Math.max(1, total) }
    from += part.width
    return part
  })
  return (
    <svg
      class="meter"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${ok} ok, ${error} failed of ${total}`}
    >
      {parts.map(({ is, x, width }) => (
        <rect key={is} x={x} width={width} height="4" class={`part-${is}`} />
      ))}
    </svg>
  )
}
