/** A value that refers to a stored picture, shown; kinds of files that could hold a script are named and not shown. */
import type { ArtifactRef } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { answerOf } from '../api/call.ts'

const pictures = /^image\/(?:avif|gif|jpeg|png|webp)$/

export const isPicture = (value: unknown): value is ArtifactRef =>
  typeof value === 'object' &&
  value !== null &&
  'digest' in value &&
  'media_type' in value &&
  typeof value.media_type === 'string' &&
  pictures.test(value.media_type)

export function ArtifactPicture({ of, alt }: { of: ArtifactRef; alt: string }) {
  const [shown, setShown] = useState<{ readonly url: string } | { readonly fault: string } | null>(null)
  useEffect(() => {
    let url: string | null = null
    let isOver = false
    const read = async (): Promise<void> => {
      const bytes = await (await answerOf('GET', `/artifacts/${encodeURIComponent(of.digest)}`)).blob()
      if (isOver) return
      url = URL.createObjectURL(new Blob([bytes], { type: of.media_type }))
      setShown({ url })
    }
    read().catch((error: unknown) => setShown({ fault: error instanceof Error ? error.message : String(error) }))
    return () => {
      isOver = true
      if (url !== null) URL.revokeObjectURL(url)
    }
  }, [of.digest])
  if (shown === null) return null
  return 'url' in shown ? <img class="artifact-picture" src={shown.url} alt={alt} /> : <p class="hint">{shown.fault}</p>
}
