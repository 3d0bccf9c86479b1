/** Bytes as what they are: a picture, a film, a sound, a table, a tree, a text. */
import type { RunArtifact } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { Problem } from '../api/call.ts'
import { counted } from '../format.ts'
import { JsonView } from '../parts/json-view.tsx'
import { addressOf, blobOf } from './bytes.ts'
import { type Table, tableOf } from './csv.ts'

type Kind = 'picture' | 'film' | 'sound' | 'table' | 'tree' | 'text'

/** A drawing (SVG) and a page (HTML) can be programs, and are downloaded only. */
const kinds: readonly (readonly [Kind, RegExp])[] = [
  ['picture', /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/],
  ['film', /^video\/(?:mp4|webm|ogg|quicktime)$/],
  ['sound', /^audio\/(?:mpeg|mp4|aac|ogg|webm|wav|x-wav|flac)$/],
  ['table', /^text\/(?:csv|tab-separated-values)$/],
  ['tree', /^application\/json$/],
  ['text', /^text\/(?:plain|markdown)$/],
]
/** What is read as text is held in the page, up to this size; films and sounds are read part by part. */
const MOST_SHOWN = 2_000_000

/** Null for what is not looked at here. */
export function previewOf({ media_type: type, size }: RunArtifact): Kind | null {
  const bare = (type.split(';')[0] ?? '').trim().toLowerCase()
  const kind = kinds.find(([, pattern]) => pattern.test(bare))?.[0] ?? null
  return kind === 'film' || kind === 'sound' || size <= MOST_SHOWN ? kind : null
}

type Shown =
  | { readonly is: 'picture'; readonly url: string }
  | { readonly is: 'film' | 'sound'; readonly url: string }
  | { readonly is: 'table'; readonly table: Table }
  | { readonly is: 'tree'; readonly value: unknown }
  | { readonly is: 'text' | 'fault'; readonly text: string }

export function Preview({ of }: { of: RunArtifact }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isOver = false
    let url: string | null = null
    const show = async (): Promise<void> => {
      const next = await read(of)
      if (next.is === 'picture') url = next.url
      if (isOver && url !== null) URL.revokeObjectURL(url)
      if (!isOver) setShown(next)
    }
    show().catch((problem: unknown) => {
      if (!isOver) setShown({ is: 'fault', text: problem instanceof Problem ? problem.message : String(problem) })
    })
    return () => {
      isOver = true
      if (url !== null) URL.revokeObjectURL(url)
    }
  }, [of.digest, tries])
  if (shown === null) return null
  switch (shown.is) {
    case 'picture':
      return <img class="picture" src={shown.url} alt={of.name} />
    case 'film':
    case 'sound':
      return <Media key={shown.url} of={of} shown={shown} again={() => setTries(tries + 1)} />
    case 'table':
      return <Rows of={shown.table} name={of.name} />
    case 'tree':
      return <JsonView of={shown.value} depth={3} />
    case 'text':
      return (
        <pre class="log" tabIndex={0} aria-label={of.name}>
          {shown.text}
        </pre>
      )
    case 'fault':
      return (
        <p class="fault" role="alert">
          {shown.text}
        </p>
      )
  }
}

async function read(artifact: RunArtifact): Promise<Shown> {
  const is = previewOf(artifact)
  if (is === 'film' || is === 'sound') return { is, url: await addressOf(artifact) }
  const blob = await blobOf(artifact)
  if (is === 'picture') return { is, url: URL.createObjectURL(new Blob([blob], { type: artifact.media_type })) }
  const text = await blob.text()
  if (is === 'table') return { is, table: tableOf(text, artifact.media_type.includes('tab') ? '\t' : ',') }
  if (is === 'tree') {
    try {
      return { is, value: JSON.parse(text) as unknown }
    } catch {
      // what says that it is JSON need not be
      return { is: 'text', text }
    }
  }
  return { is: 'text', text }
}

interface MediaProps {
  readonly of: RunArtifact
  readonly shown: { readonly is: 'film' | 'sound'; readonly url: string }
  readonly again: () => void
}

/** Its address is good for some minutes: whoever comes back later asks for another. */
function Media({ of, shown: { is, url }, again }: MediaProps) {
  const [isLost, setLost] = useState(false)
  if (isLost) {
    return (
      <p>
        The browser cannot play this, or its address has lapsed. <button onClick={again}>Load it again</button>
      </p>
    )
  }
  return is === 'film' ? (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody has written captions of it
    <video class="picture" controls preload="metadata" src={url} aria-label={of.name} onError={() => setLost(true)} />
  ) : (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- as above
    <audio controls preload="metadata" src={url} aria-label={of.name} onError={() => setLost(true)} />
  )
}

const Rows = ({ of: { head, rows, more, hidden }, name }: { of: Table; name: string }) => (
  <>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
    <div class="sheet table-preview" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((title, at) => (
              <th key={at} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {more === 0 && hidden === 0 ? null : (
      <p class="hint">
        {[
          ...(more > 0 ? [counted(more, 'more row')] : []),
          ...(hidden > 0 ? [counted(hidden, 'more column')] : []),
        ].join(' and ')}
        : download it to see all.
      </p>
    )}
  </>
)
