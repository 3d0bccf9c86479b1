/** The bytes of a run: looked at where that is safe, else downloaded. */
import type { Run, RunArtifact } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { answerOf, Problem } from '../api/call.ts'
import { bytes } from '../format.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/states.tsx'

/** Shown in the page up to this size. A drawing (SVG) and a page (HTML) can be programs, and are downloaded only. */
const MOST_SHOWN = 2_000_000
const pictures = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/
const texts = /^(?:text\/(?:plain|csv|markdown)|application\/json)\b/

export function Artifacts({ run }: { run: Run }) {
  const [open, setOpen] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  if (run.artifacts.length === 0) {
    return <Empty title="No artifacts">Bytes that a node saves or gives are kept with its run.</Empty>
  }
  const save = (artifact: RunArtifact) => (): void => {
    setFault(null)
    download(artifact).catch((problem: Problem) => setFault(problem.message))
  }
  return (
    <>
      <p class="fault" role="alert">
        {fault}
      </p>
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
                {canBeShown(artifact) ? (
                  <button aria-expanded={open === key} onClick={() => setOpen(open === key ? null : key)}>
                    {open === key ? 'Close' : 'Look'}
                  </button>
                ) : null}
                <button onClick={save(artifact)} title={`Download ${artifact.name}`}>
                  <Icon name="save" /> Download
                </button>
              </div>
              {open === key ? <Preview of={artifact} /> : null}
            </li>
          )
        })}
      </ul>
    </>
  )
}

const canBeShown = ({ media_type: type, size }: RunArtifact): boolean =>
  size <= MOST_SHOWN && (pictures.test(type) || texts.test(type))

const bytesOf = async ({ digest }: RunArtifact): Promise<Blob> =>
  (await answerOf('GET', `/artifacts/${encodeURIComponent(digest)}`)).blob()

async function download(artifact: RunArtifact): Promise<void> {
  const url = URL.createObjectURL(await bytesOf(artifact))
  const link = document.createElement('a')
  link.href = url
  link.download = artifact.name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

function Preview({ of }: { of: RunArtifact }) {
  const [shown, setShown] = useState<{ readonly url?: string; readonly text?: string } | null>(null)
  useEffect(() => {
    let url: string | null = null
    let isOver = false
    const show = async (): Promise<void> => {
      const blob = await bytesOf(of)
      if (isOver) return
      if (texts.test(of.media_type)) return setShown({ text: await blob.text() })
      url = URL.createObjectURL(new Blob([blob], { type: of.media_type }))
      setShown({ url })
    }
    show().catch((problem: unknown) =>
      setShown({ text: problem instanceof Problem ? problem.message : String(problem) }),
    )
    return () => {
      isOver = true
      if (url !== null) URL.revokeObjectURL(url)
    }
  }, [of.digest])
  if (shown === null) return null
  return shown.url === undefined ? (
    <pre class="log">{shown.text}</pre>
  ) : (
    <img class="picture" src={shown.url} alt={of.name} />
  )
}
