/** A state is a shape and a word, and a colour only beside them. */
const tick = 'm4.500 8.300 2.300 2.300 4.700-5'
const cross = 'm5 5 6 6M11 5l-6 6'
const shapes: Readonly<Record<string, string>> = {
  ok: tick,
  ready: tick,
  error: cross,
  failed: cross,
  running: 'M8 4.500a3.500 3.500 0 1 1-3.500 3.500',
  queued: 'M8 5v3l2 1.300',
  cancelled: 'M5 8h6',
  abandoned: 'M8 4.500v4M8 11v.1',
  degraded: 'M8 4.500v4M8 11v.1',
  active: 'M6.500 5v6l4.500-3z',
  paused: 'M6.300 5v6M9.700 5v6',
  stopped: 'M5.800 5.800h4.400v4.400H5.800z',
  cached: 'M9 4 5.500 9h2.300L7 12.500l3.500-5H8.200z',
  skipped: 'M5 8h6',
  pending: 'M8 8v.1',
  draft: 'M5 11l.5-2L10 4.500 11.500 6 7 10.500z',
}

export const Status = ({ is, isWord = false }: { is: string; isWord?: boolean }) => (
  <span class={`status is-${is}`} title={is}>
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="7.200" class="disc" />
      <path d={shapes[is] ?? 'M8 8v.1'} class={is === 'running' ? 'spin' : ''} />
    </svg>
    <span class={isWord ? '' : 'unseen'}>{is}</span>
  </span>
)
