/**
 * Settings of runs: how many execute at once, how long they outlive their engine, and how large an import may be.
 * @module
 */
import { availableParallelism } from 'node:os'

import { ConfigError, integer, optional, setting } from '../process/setting.ts'
import type { RunNumbers } from './admission.ts'

const HEAVY_RUNS = 4
const LIGHT_RUNS = 64

/** Node code waits more than it computes: for files, networks, a GPU. */
const enoughPlaces = (): number => Math.max(8, 2 * availableParallelism())

export const runsSettings = {
  maxRuns: optional(integer(1, 1000), {
    env: 'SERVICE_MAX_RUNS',
    about:
      'How many batch runs with code in processes (nodes python, code, exec) this engine executes at once. Set alone, it bounds the other runs with them.',
    initially: String(HEAVY_RUNS),
  }),
  maxLightRuns: optional(integer(1, 1000), {
    env: 'SERVICE_MAX_LIGHT_RUNS',
    about: 'How many batch runs without code in processes this engine executes at once.',
    initially: `${LIGHT_RUNS}, or none of their own where SERVICE_MAX_RUNS is set alone`,
  }),
  maxParallelNodes: setting(integer(1, 1000), {
    env: 'SERVICE_MAX_PARALLEL_NODES',
    about: 'How many nodes of one run execute at once.',
    initial: enoughPlaces,
    initially: '8, or twice the number of CPUs if that is more',
  }),
  maxProcesses: setting(integer(1, 1000), {
    env: 'SERVICE_MAX_PROCESSES',
    about: 'How many processes of node code this engine runs at once on its own machine, shared fairly by its runs.',
    initial: enoughPlaces,
    initially: '8, or twice the number of CPUs if that is more',
  }),
  runLeaseS: setting(integer(2, 3600), {
    env: 'SERVICE_RUN_LEASE_S',
    about:
      'How many seconds after the last sign of life of its engine a running run is given up, where engines share a database.',
    initial: 30,
  }),
  runRenewS: setting(integer(1, 1800), {
    env: 'SERVICE_RUN_RENEW_S',
    about: 'How many seconds lie between two signs of life; at most half of the lease.',
    initial: 10,
  }),
  importMaxBytes: setting(integer(1, Number.MAX_SAFE_INTEGER), {
    env: 'SERVICE_IMPORT_MAX_BYTES',
    about: 'The largest body of an import of runs, in bytes.',
    initial: 67_108_864,
  }),
}

/** How many runs execute at once. */
export function runNumbers({
  maxRuns,
  maxLightRuns,
}: {
  readonly maxRuns: number | null
  readonly maxLightRuns: number | null
}): RunNumbers {
  if (maxRuns !== null && maxLightRuns === null) return { all: maxRuns }
  return { heavy: maxRuns ?? HEAVY_RUNS, light: maxLightRuns ?? LIGHT_RUNS }
}

/** Throws `ConfigError` where a lease would end between two signs of life. */
export function checkRuns({ runRenewS, runLeaseS }: { readonly runRenewS: number; readonly runLeaseS: number }): void {
  if (runRenewS * 2 <= runLeaseS) return
  throw new ConfigError(
    `SERVICE_RUN_RENEW_S is ${runRenewS}: use at most half of SERVICE_RUN_LEASE_S, which is ${runLeaseS}`,
  )
}
