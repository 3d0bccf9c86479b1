/** A flow as a file of JSON: out of the engine, and into this flow as its draft. */
import type { Flow } from '@flow-service/client-sdk'

import { call } from '../api/call.ts'
import { counted } from '../format.ts'
import { Confirm } from '../parts/dialog.tsx'
import { saveJson } from '../parts/download.ts'
import { say } from '../parts/toast.tsx'
import { isJsonObject } from './document.ts'
import { type Editing, pathOf } from './editing.ts'

/** Gives a file to the browser, which saves it. */
export const exportFlow = ({ name, draft }: Editing): void => saveJson(name, { name, ...draft.doc.peek() })

/** A document as somebody may write it; the engine makes its normal form. */
export type Imported = Readonly<Record<string, unknown>> & { readonly nodes: readonly unknown[] }

/** Rejects with what is wrong with the file. */
export async function importedOf(file: File): Promise<Imported> {
  let said: unknown
  try {
    said = JSON.parse(await file.text())
  } catch {
    throw new Error(`"${file.name}" is no JSON.`)
  }
  const nodes: unknown = isJsonObject(said) ? said['nodes'] : undefined
  if (!isJsonObject(said) || !Array.isArray(nodes))
    throw new Error(`"${file.name}" is no flow: it has no list of "nodes".`)
  return { ...said, nodes }
}

interface ImportProps {
  readonly editing: Editing
  readonly document: Imported
  readonly close: () => void
}

export function ImportDialog({ editing, document, close }: ImportProps) {
  const { draft, name } = editing
  const put = async (): Promise<void> => {
    if (!(await draft.flush())) throw new Error(draft.problem.peek()?.message ?? 'The draft could not be saved.')
    const { version } = draft.flow.peek()
    const flow = await call<Flow>('PUT', pathOf(name), { ...document, name, version })
    draft.adopt('Import', flow)
    say(`${counted(flow.nodes.length, 'node')} imported.`)
  }
  return (
    <Confirm title={`Replace the draft of "${name}"?`} verb="Import" act={put} close={close}>
      <p>
        The file has {counted(document.nodes.length, 'node')}, in place of what the draft has now. Nothing is published
        by this, and it can be undone.
      </p>
    </Confirm>
  )
}
