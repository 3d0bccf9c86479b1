/** A wire drawn with keys: an output of the chosen node, then an input of any node. */
import { useState } from 'preact/hooks'

import { say } from '../parts/toast.tsx'
import { type Doc, nodeOf } from './document.ts'
import { connect, type End } from './edit.ts'
import type { Editing } from './editing.ts'
import { type Choice, Picker } from './picker.tsx'

interface ConnectProps {
  readonly editing: Editing
  /** The chosen node; its outputs come first. Null: all of them are offered. */
  readonly node: string | null
  readonly close: () => void
}

export function ConnectPicker({ editing, node, close }: ConnectProps) {
  const { draft, name: flow } = editing
  const doc = draft.doc.value
  const outputs = outputsOf(doc, node)
  const [from, setFrom] = useState<string | null>(outputs.length === 1 ? (outputs[0]?.key ?? null) : null)
  if (from === null) {
    const title = node === null ? 'Draw a wire from' : `Draw a wire from ${node}`
    return <Picker key="from" title={title} choices={outputs} pick={setFrom} close={close} />
  }
  const start = endOf(from)
  const draw = (key: string): void => {
    const end = endOf(key)
    draft.edit(`Wire ${start.node} to ${end.node}`, connect(flow, start, end))
    say(`${end.node} reads ${start.port} of ${start.node} now.`)
    close()
  }
  return (
    <Picker
      key="to"
      title={`From ${start.node} ${start.port} to`}
      choices={inputsOf(doc, start)}
      pick={draw}
      close={close}
    />
  )
}

const keyOf = ({ node, port }: End): string => JSON.stringify([node, port])

function endOf(key: string): End {
  const [node = '', port = ''] = JSON.parse(key) as string[]
  return { node, port }
}

function outputsOf(doc: Doc, node: string | null): Choice[] {
  const known = node === null ? undefined : nodeOf(doc, node)
  return (known ? [known] : doc.nodes).flatMap(({ id, ports }) =>
    ports.flatMap(({ direction, port, dtype }) =>
      direction === 'output'
        ? [{ key: keyOf({ node: id, port }), title: known ? port : `${id} ${port}`, about: dtype }]
        : [],
    ),
  )
}

const inputsOf = (doc: Doc, from: End): Choice[] =>
  doc.nodes.flatMap(({ id, ports }) =>
    ports.flatMap(({ direction, port, name }) =>
      direction === 'input' && id !== from.node
        ? [{ key: keyOf({ node: id, port }), title: `${id} ${port}`, about: `reads ${name}` }]
        : [],
    ),
  )
