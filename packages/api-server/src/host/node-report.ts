/**
 * What nodes say and what becomes of them, for who shows it to people instead of keeping it in the log.
 * @module
 */
import type { DeadLetter, Host } from '@flow-service/core'
import type { Health } from '@flow-service/protocol'

import type { EventBus } from '../events/event-bus.ts'
import type { HostDeps } from './host.ts'

interface Place {
  readonly flow: string
  readonly node: string
  /** Id of the run; null of a live flow. */
  readonly run: string | null
}

/** What a node has printed, in one or several lines, of which the last may go on in the next report. */
export interface NodePrint extends Place {
  readonly is: 'print'
  readonly text: string
}

/** Why an execution of a node has failed; told of each execution. */
export interface NodeFailed extends Place {
  readonly is: 'failure'
  readonly text: string
  /** The name of an exception, or a word of the engine such as `timeout`. */
  readonly type: string
  /** The error with the lines of its author's code, as their files name them; null where no code has failed. */
  readonly traceback: string | null
}

/** A payload that ended without being done: it is kept as a dead letter. */
export interface NodeDropped extends Place {
  readonly is: 'dropped'
  /** The message that it is of; null when the node was asked to act. */
  readonly message: string | null
  readonly reason: DeadLetter['reason']
}

/** A payload that a flow has not taken, because it is of another dtype or cannot be read; its sender was answered so. */
export interface PayloadRefused extends Omit<Place, 'node'> {
  readonly is: 'refused'
  /** Null for a publication under the name of a message. */
  readonly node: string | null
  readonly text: string
}

/** The connections of a live node are in another state, or values for it are dropped. */
export interface NodeHealth extends Place {
  readonly is: 'health'
  readonly health: Health
  /** Null when the node says nothing of it. */
  readonly text: string | null
}

/** What a node says of itself, or what has become of a payload; without the values of secrets. */
export type NodeReport = NodePrint | NodeFailed | NodeDropped | PayloadRefused | NodeHealth

/** Hears reports in their order; must not block. */
export type NodeListener = (report: NodeReport) => void

/** What a host tells of nodes. */
export type NodeReports = Pick<HostDeps, 'log'> &
  Required<Pick<Host, 'nodeFailed' | 'payloadRefused'>> & {
    readonly dropped: (letter: DeadLetter) => void
  }

/** Where a host puts what nodes print: the log, or the listener, which hears of all else too. */
export function nodeReports({
  onNodeReport: tell,
  bus,
  log,
}: {
  readonly onNodeReport: NodeListener | null
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly log: HostDeps['log']
}): NodeReports {
  // what code prints ends a line, and an entry of the log is one
  if (tell === null) {
    return {
      log: { info: (place, text) => log.info(place, text.trimEnd()) },
      nodeFailed: () => {},
      payloadRefused: () => {},
      dropped: () => {},
    }
  }
  bus.subscribe(
    (event) => {
      if (event.type === 'log' && event.run !== null) {
        const { flow, node, run, text } = event
        tell({ flow, node, run, is: 'print', text })
      } else if (event.type === 'health') {
        const { flow, node, status: health, message: text } = event
        tell({ flow, node, run: null, is: 'health', health, text })
      }
    },
    { quiet: true },
  )
  return {
    log: { info: (place, text) => tell({ ...place, run: null, is: 'print', text }) },
    nodeFailed: ({ flow, node, run, type, message, traceback }) =>
      tell({ flow, node, run, is: 'failure', type, text: message, traceback }),
    dropped: ({ flow, node, run = null, message, reason }) => tell({ flow, node, run, is: 'dropped', message, reason }),
    payloadRefused: ({ flow, node, message }) => tell({ flow, node, run: null, is: 'refused', text: message }),
  }
}
