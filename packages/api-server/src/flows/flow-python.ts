/**
 * What flows need of the modules of Python nodes.
 * @module
 */
import { refresh, type RefreshDeps } from './source-links.ts'
import { createFlowStore } from './store.ts'

/** Makes the Python nodes of active flows anew; flows with such nodes that could not be started are tried again. */
export async function rebuildPython(deps: Omit<RefreshDeps, 'rebuild' | 'restart'>): Promise<void> {
  const ids = await createFlowStore(deps.database.sql).liveWith('python')
  await refresh(ids, { ...deps, rebuild: true, restart: ({ type }) => type === 'python' })
}
