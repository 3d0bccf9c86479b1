/** The bytes of a run: looked at where that is safe, else downloaded. */
import type { Run, RunArtifact } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { bytes } from '../format.ts'
import { save, saveFrom } from '../parts/download.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/states.tsx'
import { sayFault } from '../parts/toast.tsx'
import { addressOf, blobOf } from './bytes.ts'
import { Preview, previewOf } from './preview.tsx'

/** What is larger is not held in the page on its way to the disk. */
const MOST_HELD = 16_000_000

export function Artifacts({ run }: { run: Run }) {
  const [open, setOpen] = useState<string | null>(null)
  if (run.artifacts.length === 0) {
    return <Empty title="No artifacts">Bytes that a node saves or gives are kept with its run.</Empty>
  }
  return (
    <ul class="list">
      {run.artifacts.map((artifact) => {
        const key = `${artifact.node} ${artifact.port} ${artifact.digest}`
        return (
          <li key={key} class="artifact">
            <div>
              <span class="what">
                <b>{artifact.name}</b>
                <small>
                  {artifact.media_type} · {bytes(artifact.size)} · {artifact.node}
                  {artifact.port === null ? '' : `.${artifact.port}`}
                </small>
              </span>
              {previewOf(artifact) === null ? null : (
                <button aria-expanded={open === key} onClick={() => setOpen(open === key ? null : key)}>
                  {open === key ? 'Close' : 'Look'}
                </button>
              )}
              <button onClick={() => void download(artifact).catch(sayFault)} title={`Download ${artifact.name}`}>
                <Icon name="save" /> Download
              </button>
            </div>
            {open === key ? <Preview of={artifact} /> : null}
          </li>
        )
      })}
    </ul>
  )
}

async function download(artifact: RunArtifact): Promise<void> {
  if (artifact.size <= MOST_HELD) save(artifact.name, await blobOf(artifact))
  else saveFrom(artifact.name, await addressOf(artifact))
}
