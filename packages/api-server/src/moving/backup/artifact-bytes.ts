/**
 * The bytes of artifacts for a backup.
 * @module
 */
import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { ResolvedConfig } from '../../config.ts'
import type { BackupDeps, OpenBytes } from './backup.ts'

/** What larger ones are is known only when they were read: a backup that has begun with one cannot leave it out. */
const KNOWN_BYTES = 8 * 2 ** 20

/** Whole artifacts; one that is missing, or not what it was, is none. */
export const bytesOf =
  (artifacts: Pick<Artifacts, 'open'>): OpenBytes =>
  async (digest) => {
    const artifact = await artifacts.open(digest)
    if (!artifact) return null
    if (artifact.ref.size <= KNOWN_BYTES) return artifact.read(null)
    try {
      for await (const _ of artifact.read(null));
    } catch {
      return null
    }
    return artifact.read(null)
  }

/** Whether a backup takes artifacts along, unless it is told: a folder yes, a store elsewhere no. */
export const takesArtifacts = (
  { artifactsUrl }: Pick<ResolvedConfig, 'artifactsUrl'>,
  wanted: boolean | undefined,
): boolean => wanted ?? artifactsUrl === null

/** How a backup reads artifacts, or where they stay: those that are null are not taken along. */
export function artifactsFor(
  { artifactsUrl }: Pick<ResolvedConfig, 'artifactsUrl'>,
  artifacts: Pick<Artifacts, 'open'> | null,
): BackupDeps['artifacts'] {
  if (artifacts) return { open: bytesOf(artifacts) }
  return { place: artifactsUrl === null ? 'the folder of artifacts' : storeText(artifactsUrl) }
}

/** A store without what may be a password. */
function storeText(url: string): string {
  const { host, pathname } = new URL(url)
  return `s3://${host}${pathname}`
}
