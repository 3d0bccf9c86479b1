/**
 * What people do after a move or a restore: what a database needs beside itself is elsewhere.
 * @module
 */
import type { BackupSummary } from './backup/backup-file.ts'
import type { Place } from './places.ts'

const SERVER_STEP = 'Start the engine with SERVICE_DATABASE_URL set to the new place.'

/** Sentences for people, in the order in which they are done. */
export function stepsAfterMove({ from, to }: { readonly from: Place; readonly to: Place }): string[] {
  if (to.kind === 'embedded')
    return [
      startsEmbedded(to.dataDir),
      'Keys that were set stay set: the secrets are sealed under SERVICE_SECRET_KEY, or secret.key of the data directory, and no engine starts with another one.',
      `Artifacts are where they were: keep SERVICE_ARTIFACTS_DIR or SERVICE_ARTIFACTS_URL, or copy the folder with its store-id to ${to.dataDir}/artifacts.`,
    ]
  if (from.kind === 'server') return [SERVER_STEP, 'Keys and artifacts stay as they are.']
  return [
    SERVER_STEP,
    `Keep the data directory ${from.dataDir}: it has the artifacts and the keys. The secrets are sealed under secret.key, or SERVICE_SECRET_KEY, and no engine starts with another one.`,
    'For several engines, set SERVICE_SECRET_KEY, SERVICE_SESSION_KEY and SERVICE_OAUTH_SIGNING_KEY to what is in secret.key, session.key and oauth_signing_key.pem, and SERVICE_ARTIFACTS_DIR to a folder that all of them reach.',
  ]
}

/** The same after a restore. */
export function stepsAfterRestore(to: Place, { head, end }: Pick<BackupSummary, 'head' | 'end'>): string[] {
  const steps = [to.kind === 'embedded' ? startsEmbedded(to.dataDir) : SERVER_STEP]
  if (!end.keys.includes('secret.key'))
    steps.push(
      'The key of the secrets is not in the backup: set SERVICE_SECRET_KEY, or put secret.key into the data directory; no engine starts with another one.',
    )
  if (to.kind === 'server' && !end.keys.includes('session.key'))
    steps.push(
      'Engines may have to be told of other keys: "service signing-keys forget" has the next one pin its own, which signs everybody out.',
    )
  if (head.artifacts.kind === 'elsewhere')
    steps.push(`Artifacts are not in the backup: they are in ${head.artifacts.place}; set where the engine finds them.`)
  if (end.artifacts.missing.length > 0)
    steps.push(
      `${end.artifacts.missing.length} artifacts were gone when the backup was made; runs and messages that refer to them are there.`,
    )
  return steps
}

const startsEmbedded = (dataDir: string): string =>
  `Start one engine with the data directory ${dataDir}, and without SERVICE_DATABASE_URL.`
