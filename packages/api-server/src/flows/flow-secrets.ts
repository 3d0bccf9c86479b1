/**
 * What flows need of secrets.
 * @module
 */
import type { Secrets } from '@flow-service/core'

import { refresh, type RefreshDeps } from './refresh.ts'

/** The secrets that settings of flows refer to. */
export interface FlowSecrets extends Secrets {
  /** Grows with every change: what was said of secrets in the same generation still holds. */
  readonly generation: number
}

/** What {@link rebuildUsers} works on. */
interface UsersDeps extends Omit<RefreshDeps, 'rebuild'> {
  readonly secrets: {
    users(names: readonly string[]): Promise<{ readonly flow_id: string; readonly published: boolean }[]>
  }
}

/** Starts the flows again whose published form refers to one of these secrets. */
export async function rebuildUsers(names: readonly string[], { secrets, ...deps }: UsersDeps): Promise<void> {
  const users = (await secrets.users(names)).filter((user) => user.published)
  await refresh([...new Set(users.map((user) => user.flow_id))], { ...deps, rebuild: true })
}
