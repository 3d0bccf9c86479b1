/**
 * Code of flows in TypeScript: the modules of the configured folder, flows that are objects of the host's code, and the
 * bundles that workers execute.
 * @module
 */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'

import { nodeTypes } from '@flow-service/node-types'
import { withoutCredentials } from '@flow-service/worker-agent'

import { artifacts } from '../artifacts/slice.ts'
import { Sweeper } from '../artifacts/sweeper.ts'
import { database } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { nodeCode } from '../workers/slice.ts'
import type { CodeSource, LoadResult } from './loader.ts'
import { type CodeObjects, createCodeObjects } from './objects.ts'
import { type ConnectorPackages, loadConnectorPackages } from './packages/connector-packages.ts'
import { projectRootOf } from './project.ts'
import { type CodeRegistry, createCodeRegistry } from './registry.ts'
import { withWholeNames } from './whole-names.ts'

/** The configured folder of flow modules. */
export interface CodeFolder extends CodeSource {
  /** Its flows when the engine was opened. */
  readonly first: LoadResult
}

/** Takes long to make, as the database does; they have nothing of each other. */
export const codeFolder = noun<CodeFolder>()('codeFolder')

export const code = noun<CodeRegistry>()('code')
export const codeObjects = noun<CodeObjects>()('codeObjects')

export const codeFolderLayer = makes(codeFolder, { config }, async ({ config: { flows } }) => {
  const directory = typeof flows === 'string' ? flows : null
  const load = () => loadModules(directory)
  return { directory, first: await load(), load }
})

/** Node types of packages; takes long when one of them is new. */
export const connectorPackages = noun<ConnectorPackages>()('connectorPackages')

export const connectorPackagesLayer = makes(
  connectorPackages,
  { config, log },
  (deps) => loadConnectorPackages({ ...deps, builtIn: nodeTypes.map(({ type }) => type) }),
  ({ developed }) => developed.close(),
)

export const codeLayer = inOrder(
  makes(code, { artifacts, database }, createCodeRegistry),
  makes(codeObjects, { artifacts, config }, ({ artifacts, config: { flows } }) =>
    createCodeObjects(flows === null || typeof flows === 'string' ? [] : flows, artifacts),
  ),
  makes(nodeCode, { code, codeFolder, codeObjects, config }, ({ code, codeFolder, codeObjects, config }) => {
    const root = codeFolder.directory === null ? null : rootOf(codeFolder.directory)
    const bundleOf = ({ digest }: { readonly digest: string }) => code.bundleText(digest)
    return {
      bundleOf: config.inspectNodes && root ? async (entry) => withWholeNames(await bundleOf(entry), root) : bundleOf,
      inProcess: (call) => codeObjects.call(call),
      pythonFileOf(flow, node) {
        const file = code.pythonFile(flow, node)
        return file === null || root === null ? null : resolve(root, file)
      },
    }
  }),
)

/** The root of a folder's project, as its bundles name files from it. */
const rootOf = (folder: string): string => projectRootOf(existsSync(folder) ? realpathSync(folder) : resolve(folder))

/** Takes away bytes and bundles that nothing needs, every hour. */
export const sweep = begins(
  { artifacts, clock, code, eventLog, log },
  ({ code, ...deps }) => {
    const sweeper = new Sweeper({ ...deps, expireCode: () => code.expire() })
    sweeper.open()
    return sweeper
  },
  (sweeper) => sweeper.close(),
)

async function loadModules(directory: string | null): Promise<LoadResult> {
  if (directory === null) return { flows: [], dashboards: [], errors: [], sound: [], files: [] }
  // with it comes the bundler, which an engine without flows in TypeScript does without
  const { createCodeLoader } = await import('./loader.ts')
  return createCodeLoader({ env: withoutCredentials(process.env) }).load(directory)
}
