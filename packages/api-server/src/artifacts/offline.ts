/**
 * Artifacts without an engine: for backups that are made, and restored, by the command line.
 * @module
 */
import type { ResolvedConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { createPins } from '../db/pins.ts'
import { type Artifacts, createArtifacts } from './artifacts.ts'
import { openFolderStore } from './folder-store.ts'
import { openStore } from './open-store.ts'
import { artifactsDirOf } from './settings.ts'

const quiet = { info() {}, error() {} }

/** Artifacts that are read; none is added. */
export interface OfflineArtifacts extends Pick<Artifacts, 'open'> {
  close(): Promise<void>
}

/** The artifacts of a database, where the settings say. Throws `ConfigError` when they are of another one. */
export async function openOfflineArtifacts(config: ResolvedConfig, database: Database): Promise<OfflineArtifacts> {
  const content = await openStore({ config, database, log: quiet, pins: createPins(database) })
  const artifacts = createArtifacts({ database, content, onCorrupt() {} })
  return { open: (digest) => artifacts.open(digest), close: () => content.close() }
}

/** Puts bytes into the folder of artifacts that the settings say; their rows are somebody else's. */
export interface ArtifactFolder {
  /** Throws an Error when the bytes have another digest (`sha256:…`). */
  keep(digest: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

/** Opens the folder of artifacts, which is made when there is none. */
export async function openArtifactFolder(
  config: Pick<ResolvedConfig, 'artifactsDir' | 'dataDir'>,
): Promise<ArtifactFolder> {
  const store = await openFolderStore(artifactsDirOf(config), { shared: true })
  return {
    async keep(digest, bytes) {
      const staged = await store.stage(bytes, Number.MAX_SAFE_INTEGER)
      try {
        if (`sha256:${staged.hex}` !== digest) throw new Error(`the bytes of ${digest} have the digest ${staged.hex}`)
        await store.place(staged)
      } finally {
        await store.discard(staged)
      }
    },
  }
}
