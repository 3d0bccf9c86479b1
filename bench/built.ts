/**
 * Whether the packages are built, for the benchmarks that measure them as they are published.
 * @module
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Throws when what is published is not what the sources are now. */
export function assertBuilt(): void {
  const newest = (folder: string): number =>
    Math.max(
      ...readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
        entry.isFile() ? statSync(join(entry.parentPath, entry.name)).mtimeMs : 0,
      ),
    )
  for (const name of ['api-server', 'cli', 'worker-agent']) {
    const [source, built] = [join(root, 'packages', name, 'src'), join(root, 'packages', name, 'dist')]
    if (!existsSync(built) || newest(built) < newest(source)) throw new Error(`${name} is not built: npm run build`)
  }
}
