/**
 * What the graph runtime reaches outside itself.
 * @module
 */
import { join } from 'node:path'

import type { Host } from '@flow-service/core'
import { environmentBeside } from '@flow-service/worker-agent'

import { artifacts } from '../artifacts/slice.ts'
import { connectorState } from '../connectors/slice.ts'
import { deviceSeats } from '../devices/slice.ts'
import { dial, outgoing } from '../egress/layer.ts'
import { lease } from '../engines/slice.ts'
import { bus, deadLetters } from '../events/slice.ts'
import { hooks, routedNodes, servedSockets } from '../hooks/slice.ts'
import { lastValues } from '../messages/slice.ts'
import { liveLogs } from '../node-logs/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { redactor, secrets } from '../secrets/slice.ts'
import { markers, work } from '../work/slice.ts'
import { dispatcher } from '../workers/slice.ts'
import { createHost } from './host.ts'
import { openMachine } from './machine.ts'
import { nodeReports } from './node-report.ts'

/** Called with every cascade that is over. */
export const cascadeEnded = noun<Host['cascadeEnded']>()('cascadeEnded')

export const host = noun<Host>()('host')

const needs = {
  artifacts,
  bus,
  cascadeEnded,
  clock,
  config,
  connectorState,
  deadLetters,
  deviceSeats,
  dial,
  dispatcher,
  hooks,
  lastValues,
  lease,
  liveLogs,
  log,
  markers,
  outgoing,
  redactor,
  routedNodes,
  secrets,
  servedSockets,
  work,
}

export const hostLayer = makes(host, needs, async ({ bus, config, dial, lease, log, outgoing, ...deps }) => {
  const reports = nodeReports({ onNodeReport: config.onNodeReport, bus, log })
  return createHost({
    ...deps,
    egress: { dial, fetch: outgoing.fetch },
    events: bus,
    lease: lease.id === null ? undefined : lease,
    log: reports.log,
    reports,
    machine: await openMachine(join(config.dataDir, 'files'), environmentBeside(config.dataDir)),
    timeZone: config.timeZone,
  })
})
