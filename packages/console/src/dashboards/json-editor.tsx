/** The content of a dashboard as JSON: what is typed is taken when it can be read, and what the engine refuses is said. */
import type { DashboardContentOutput } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import type { Problem } from '../api/call.ts'
import { Field } from '../parts/form.tsx'

interface JsonEditorProps {
  readonly content: DashboardContentOutput
  readonly problem: Problem | null
  readonly change: (content: DashboardContentOutput) => void
}

const textOf = (content: DashboardContentOutput): string => JSON.stringify(content, null, 2)

export function JsonEditor({ content, problem, change }: JsonEditorProps) {
  const [text, setText] = useState(() => textOf(content))
  const [fault, setFault] = useState<string | null>(null)
  // the canvas beside it has changed it
  useEffect(() => {
    if (JSON.stringify(readOf(text)) !== JSON.stringify(content)) setText(textOf(content))
  }, [content])
  const apply = (): void => {
    try {
      const read: unknown = JSON.parse(text)
      if (!isContent(read)) throw new SyntaxError('it needs "columns", a number, and "widgets", a list of objects')
      setFault(null)
      change(read)
    } catch (error) {
      setFault(`It is not taken: ${error instanceof Error ? error.message : String(error)}.`)
    }
  }
  const told = fault ?? problem?.errors.map(({ path, message }) => `${path}: ${message}`).join('\n')
  return (
    <form
      class="panel-body fields"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <Field label="Content" about="JSON" fault={told === '' ? undefined : told}>
        {(tied) => (
          <textarea
            {...tied}
            class="mono"
            rows={30}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
      <button>Take it</button>
    </form>
  )
}

function readOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Enough to be drawn; all else the engine says. */
const isContent = (read: unknown): read is DashboardContentOutput =>
  typeof read === 'object' &&
  read !== null &&
  'columns' in read &&
  typeof read.columns === 'number' &&
  'widgets' in read &&
  Array.isArray(read.widgets) &&
  read.widgets.every(
    (widget: unknown) =>
      typeof widget === 'object' && widget !== null && 'options' in widget && 'type' in widget && 'id' in widget,
  )
