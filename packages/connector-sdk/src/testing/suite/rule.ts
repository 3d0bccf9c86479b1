/**
 * A rule that every connector keeps: a test of the contract suite.
 * @module
 */
import type { Subject } from './subject.ts'

/** One test. */
export interface Rule {
  /** The rule as a sentence about the connector. */
  readonly title: string
  /** Why it says nothing of this connector; null when it does. */
  readonly skip?: (subject: Subject) => string | null
  /** Throws what is wrong and what to do; may answer why it could not be tested. */
  readonly run: (subject: Subject) => Promise<string | void>
}

/** What is wrong with a connector. */
export class ContractFault extends Error {
  override readonly name = 'ContractFault'
}

/** Throws unless it holds. */
export function must(holds: boolean, fault: string | (() => string)): asserts holds {
  if (!holds) throw new ContractFault(typeof fault === 'string' ? fault : fault())
}

/** An error in words. */
export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
