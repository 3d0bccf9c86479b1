/**
 * Errors of the database that pass: its connection is lost, it starts or stops, it is out of room. What they refuse is worth
 * another try, and a request that meets one is told so.
 * @module
 */
import { sqlState } from './transaction.ts'

const lostConnection = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * Classes 08 and 53 (lost connections, a full disk, no memory, too many connections), shutting down, deadlock,
 * serialization and lock failures (PostgreSQL manual, appendix A).
 */
const transient = /^(?:08|57P0|53|40001|40P01|55P03)/

/** Whether what a statement was refused with may be over at the next attempt. */
export function isOutage(error: unknown): boolean {
  const state = sqlState(error)
  return lostConnection.has(state) || transient.test(state)
}
