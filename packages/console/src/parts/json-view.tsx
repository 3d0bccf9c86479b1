/** A value as a tree that opens where somebody looks; every part of it is text. */
import { useState } from 'preact/hooks'

import { counted, oneLine } from '../format.ts'

/** Entries of one object or array on the page at first; there is a button for more. */
const MOST = 100

interface JsonViewProps {
  readonly of: unknown
  readonly name?: string
  /** How many levels are open at first. */
  readonly depth?: number
}

export function JsonView({ of, name, depth = 1 }: JsonViewProps) {
  return (
    <div class="json">
      <Part of={of} name={name} depth={depth} />
    </div>
  )
}

function Part({ of, name, depth }: { of: unknown; name: string | undefined; depth: number }) {
  const [isOpen, setOpen] = useState(depth > 0)
  const [most, setMost] = useState(MOST)
  const key = name === undefined ? null : <span class="key">{name}: </span>
  if (of === null || typeof of !== 'object') {
    return (
      <div>
        {key}
        {JSON.stringify(of) ?? 'undefined'}
      </div>
    )
  }
  const entries = Object.entries(of)
  const size = Array.isArray(of) ? counted(entries.length, 'item') : oneLine(of, 60)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {key}
        <span class="hint">{size}</span>
      </summary>
      {isOpen
        ? entries.slice(0, most).map(([part, value]) => <Part key={part} name={part} of={value} depth={depth - 1} />)
        : null}
      {isOpen && entries.length > most ? (
        <button class="bare" onClick={() => setMost(most + 10 * MOST)}>
          {counted(entries.length - most, 'more')}
        </button>
      ) : null}
    </details>
  )
}
