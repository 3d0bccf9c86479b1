/** A text to take along, as a token or a command: shown whole, copied by a click. */
import { useState } from 'preact/hooks'

import { Icon } from './icon.tsx'

export function Copied({ text, label }: { text: string; label: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    // a page that is not served safely (plain http from afar) has no clipboard: the text can be marked by hand
    await navigator.clipboard?.writeText(text)
    setDone(true)
  }
  return (
    <div class="copied">
      <code>{text}</code>
      <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy().catch(() => setDone(false))}>
        <Icon name={isDone ? 'tick' : 'copy'} /> {isDone ? 'Copied' : 'Copy'}
      </button>
    </div>
  )
}
