/**
 * What checks are given, and how they report.
 * @module
 */
import type { DevicePort, Dtype, FlowDocument, FlowNode, Issue, IssueCode } from '@flow-service/protocol'

import type { NodeRegistry } from '../registry.ts'
import type { Secrets } from '../secrets.ts'

/** What a check may know of the world around the flow. */
export interface Surroundings {
  /** Dtype of a message that another published flow declares; undefined when none does. Without it none is missed. */
  message?(qualified: string): Dtype | undefined
  /** What a node type lacks on this engine, such as `python`; null when nothing. */
  missing?(type: string): string | null
  /** The secrets that settings may refer to. Without them none is missed. */
  readonly secrets?: Secrets
  /** Names of resource sizes. Without them none is missed. */
  readonly flavors?: { has(name: string): boolean }
  /** Names of interpreters. Without them none is missed. */
  readonly pythons?: KnownPythons
  /** Devices by id. Without them nothing is said about any. */
  readonly devices?: { find(id: string): KnownDevice | undefined }
}

/** Names of interpreters that flows ask for. */
export interface KnownPythons {
  /** Of the engine, by name. */
  own(): readonly string[]
  /** Of attached workers. */
  attached(): readonly string[]
}

/** What a check may know of a device. */
export interface KnownDevice {
  /** As its last report names them; null while it has named none. */
  readonly ports: readonly Pick<DevicePort, 'name' | 'direction' | 'dtype'>[] | null
  /** Whether it is connected. */
  readonly online: boolean
}

/** A place in the document. */
interface IssuePlace {
  readonly node?: string
  /** JSON Pointer into the document. */
  readonly path: string
  /** `error` unless given. */
  readonly severity?: Issue['severity']
}

/** Takes the findings of the checks. */
export type Report = (code: IssueCode, message: string, place: IssuePlace) => void

/** One node and what its checks need. */
export interface NodeCheck {
  readonly document: FlowDocument
  readonly node: FlowNode
  /** Index in the document. */
  readonly at: number
  readonly registry: NodeRegistry
  readonly around: Surroundings | undefined
  readonly report: Report
  /** Ids of nodes by what they have claimed; each check adds its own. */
  readonly claims: Map<string, string>
}
