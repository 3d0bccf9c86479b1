/** Two ways to the bytes of an artifact: into the page, and by an address that a browser reads by itself, part by part. */
import type { ArtifactTicket, RunArtifact } from '@flow-service/client-sdk'

import { answerOf, base, post } from '../api/call.ts'

const pathOf = ({ digest }: RunArtifact): string => `/artifacts/${encodeURIComponent(digest)}`

export const blobOf = async (artifact: RunArtifact): Promise<Blob> => (await answerOf('GET', pathOf(artifact))).blob()

/** Good for some minutes from its first use on. It is the console's own address of the engine: its policy allows no other. */
export async function addressOf(artifact: RunArtifact): Promise<string> {
  const { ticket } = await post<ArtifactTicket>(`${pathOf(artifact)}/ticket`)
  return `${base}${pathOf(artifact)}?${new URLSearchParams({ ticket })}`
}
