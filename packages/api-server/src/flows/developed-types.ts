/**
 * From packages under development into flows: their types take the place of those before, and flows are built anew that use
 * them.
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import type { FlowDocument } from '@flow-service/protocol'

import type { PackageSwap } from '../code/packages/developed-package.ts'
import type { DevelopedPackages } from '../code/packages/developed-packages.ts'
import { refresh, type RefreshDeps, type Refreshed } from './refresh.ts'
import { createFlowStore } from './store.ts'

/** A package that was loaded again. */
export interface PackageChange {
  readonly package: string
  /** With a digest of the build. */
  readonly version: string
  /** Node types that it has now. */
  readonly nodeTypes: readonly string[]
  /** Those that it has no more: nodes of them go on as they are, and their flows tell it. */
  readonly removedTypes: readonly string[]
  /**
   * Active flows that use one of them, with the nodes that were made anew: none where the flow goes on as it was, and its
   * issues tell why.
   */
  readonly rebuilt: readonly Refreshed[]
}

/** What {@link reloadTypes} works on. */
export interface DevelopedTypesDeps extends Omit<RefreshDeps, 'rebuild' | 'published'> {
  readonly developed: Pick<DevelopedPackages, 'reload'>
  readonly registry: NodeRegistry
  readonly published: RefreshDeps['published'] & { get(name: string): FlowDocument | undefined }
}

/** Loads packages again, and builds the users of their types anew. */
export async function reloadTypes({
  developed,
  registry,
  ...deps
}: DevelopedTypesDeps): Promise<readonly PackageChange[]> {
  const swaps = await developed.reload()
  for (const { before, origin, types } of swaps) {
    if (before !== null && before !== origin.package) registry.replace(before, { types: [], absent: types.absent })
    registry.replace(origin.package, types)
  }
  return Promise.all(swaps.map((swap) => rebuildUsers(swap, deps)))
}

async function rebuildUsers(
  { origin, types: { types, absent } }: PackageSwap,
  { published, ...deps }: Omit<DevelopedTypesDeps, 'developed' | 'registry'>,
): Promise<PackageChange> {
  const nodeTypes = types.map(({ definition }) => definition.type)
  const changed = new Set([...nodeTypes, ...absent.keys()])
  const rows = (await createFlowStore(deps.database.sql).list()).filter(({ name, wished }) => {
    const document = published.get(name)
    return document?.mode === 'live' && wished !== 'stopped' && document.nodes.some(({ type }) => changed.has(type))
  })
  const rebuilt = await refresh(
    rows.map(({ id }) => id),
    { ...deps, published, rebuild: true },
  )
  return { ...origin, nodeTypes, removedTypes: [...absent.keys()], rebuilt }
}
