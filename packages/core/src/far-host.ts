/**
 * What a host passes on between the engines of one database: values that flows of one publish and those of others read.
 * @module
 */
import type { WorkNotes } from './host.ts'

/** A value that passes between two engines. */
export interface FarValue {
  /** Qualified. */
  readonly message: string
  readonly value: unknown
}

/** Values that came together; `executions` are those that their cascade has caused so far. */
export interface FarDelivery {
  readonly values: readonly FarValue[]
  readonly executions: number
}

/** Values that are kept work, and how far readers of them were in an earlier life. */
export interface FarWork extends FarDelivery, WorkNotes {}

/** How the host passes values on to a flow that another engine runs. */
export interface FarFlowHost {
  readonly flow: string
  /** Must not block, nor throw. */
  tell(values: FarDelivery): void
  /** The same of kept work: settles once the other engine keeps it; never rejects. */
  keep(work: FarWork): Promise<void>
}

/** How the host passes values on to an engine that only shows them. */
export interface FarEngineHost {
  readonly engine: string
  /** Must not block, nor throw. */
  tell(values: FarDelivery): void
}

/** Who reads elsewhere. */
export type FarHost = FarFlowHost | FarEngineHost
