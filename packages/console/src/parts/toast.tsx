/**
 * What came of something that somebody has just done, said once and read out: `say` from anywhere, the shell shows it. Values
 * and events never come this way.
 */
import { signal } from '@preact/signals'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isBad: boolean
  /** What can still be done about it, as to undo it. */
  readonly action?: { readonly title: string; readonly act: () => void } | undefined
}

/** A failure stays until it is closed. */
const [STAY_MS, MOST] = [6000, 4]

const toasts = signal<readonly Toast[]>([])
let last = 0

/** Says that something is done. */
export function say(text: string, action?: Toast['action']): void {
  const id = show({ text, isBad: false, action })
  setTimeout(() => drop(id), STAY_MS)
}

/** Says why something was not done. */
export const sayFault = (error: unknown): void =>
  void show({ text: error instanceof Error ? error.message : String(error), isBad: true })

function show(toast: Omit<Toast, 'id'>): number {
  last += 1
  toasts.value = [...toasts.peek(), { id: last, ...toast }].slice(-MOST)
  return last
}

function drop(id: number): void {
  toasts.value = toasts.peek().filter((one) => one.id !== id)
}

export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text, isBad, action }) => (
      <div key={id} class={isBad ? 'toast bad' : 'toast'}>
        <span class="grow">{text}</span>
        {action ? (
          <button
            onClick={() => {
              drop(id)
              action.act()
            }}
          >
            {action.title}
          </button>
        ) : null}
        <button class="bare" aria-label="Close this note" onClick={() => drop(id)}>
          ×
        </button>
      </div>
    ))}
  </div>
)
