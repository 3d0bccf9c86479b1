/** Whether the event socket is there, for the parts of the console that say so or act on it. */
import { signal } from '@preact/signals'

export const link = signal<'closed' | 'opening' | 'open' | 'lost'>('closed')

/** Acts each time that the socket is there again: what was told meanwhile is missed. Until the result is called. */
export function onReturn(act: () => void): () => void {
  let wasLost = false
  return link.subscribe((now) => {
    if (now === 'lost') wasLost = true
    if (now !== 'open' || !wasLost) return
    wasLost = false
    act()
  })
}
