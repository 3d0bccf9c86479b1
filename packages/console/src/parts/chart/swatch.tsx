/** The colour of a curve beside its name, in the legends of charts. */
export const Swatch = ({ colour }: { colour: string }) => (
  <svg width="16" height="4" aria-hidden="true">
    <rect width="16" height="4" rx="2" fill={colour} />
  </svg>
)
