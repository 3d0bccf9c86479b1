/** Starts of an engine as far as packages go, each test with a project and a data directory of its own. */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import { afterAll, beforeAll } from 'vitest'

import {
  type ConnectorPackages,
  type ConnectorPackagesDeps,
  loadConnectorPackages,
} from '../../../src/code/packages/connector-packages.ts'
import { writeProject } from './project.ts'

let directory: string

/** Makes the directory of {@link folders} before the first test of a file, and removes it after the last. */
export function useFolders(): void {
  beforeAll(async () => {
    directory = await realpath(await mkdtemp(join(tmpdir(), 'packages-')))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))
}

let count = 0

/** Folders of a test: `data` for the engine, and its project. */
export async function folders(packages: Parameters<typeof writeProject>[1] = {}) {
  const root = join(directory, `case-${++count}`)
  const projectDir = await writeProject(join(root, 'project'), packages)
  const dataDir = join(root, 'data')
  await writeProject(join(dataDir, 'modules'), {})
  return { projectDir, dataDir, connectors: [], developedConnectors: [] }
}

/** What a module does in trials alone. */
export const inTrial = `if (process.argv[1].includes('trial-child'))`

const builtIn = nodeTypes.map(({ type }) => type)

/** What a start has loaded, with the lines of its log. */
interface Loading extends ConnectorPackages {
  readonly registry: NodeRegistry
  readonly lines: readonly string[]
  readonly names: readonly string[]
}

/** Loads the packages of a start. */
export async function load(
  config: ConnectorPackagesDeps['config'],
  more: Partial<ConnectorPackagesDeps> = {},
): Promise<Loading> {
  const lines: string[] = []
  const log = {
    info: (_fields: object, message: string) => void lines.push(message),
    warn: (_fields: object, message: string) => void lines.push(message),
  }
  const loaded = await loadConnectorPackages({ config, builtIn, log, ...more })
  const registry = new NodeRegistry(nodeTypes, loaded)
  return { ...loaded, registry, lines, names: loaded.types.map(({ definition }) => definition.type) }
}
