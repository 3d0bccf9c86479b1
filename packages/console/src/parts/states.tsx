/** What stands in the place of what is not there: while it loads, when there is none, and when the engine has refused it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Problem } from '../api/call.ts'
import { Icon } from './icon.tsx'

/** Shown to those who wait: what is there within this time needs no sign. */
const PATIENCE_MS = 150

export function Loading() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return <div class={isLong ? 'skeleton' : ''} role="status" aria-label="Loading" />
}

/** What this would be, and the one thing that brings it about. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    <p>{children}</p>
  </div>
)

export const Refused = ({ problem, again }: { problem: Problem; again: () => void }) => (
  <div class="refused" role="alert">
    <Icon name="warn" />
    <p>{problem.message}</p>
    <button onClick={again}>Try again</button>
  </div>
)
