/**
 * Failed sign-ins by address: the only brake on guessing passwords that locks no account.
 * @module
 */
import { isIPv6 } from 'node:net'

import { ProblemError } from '../http/errors.ts'

const LIMIT = 10
const WINDOW_MS = 60_000
/** Addresses that are remembered; beyond, the oldest are forgotten. */
const MAX_ADDRESSES = 10_000

export interface SignInLimit {
  /**
   * Counts an attempt and returns what takes it back after a success. An attempt counts from its start, so that
   * parallel guesses do not slip through. Refuses the 11th failure of a minute with `rate_limited`.
   */
  begin(address: string): () => void
}

/** A limit without history; `now` is a clock in milliseconds. */
export function createSignInLimit(now: () => number = Date.now): SignInLimit {
  const attempts = new Map<string, number[]>()
  return {
    begin(address) {
      const at = now()
      const network = networkOf(address)
      const recent = (attempts.get(network) ?? []).filter((time) => time > at - WINDOW_MS)
      const [oldest] = recent
      if (oldest !== undefined && recent.length >= LIMIT) throw tooMany(oldest + WINDOW_MS - at)
      recent.push(at)
      // set anew, so that the map is ordered by the last attempt
      attempts.delete(network)
      attempts.set(network, recent)
      const [stalest] = attempts.keys()
      if (attempts.size > MAX_ADDRESSES && stalest !== undefined) attempts.delete(stalest)
      return () => {
        const index = recent.indexOf(at)
        if (index >= 0) recent.splice(index, 1)
        if (recent.length === 0) attempts.delete(network)
      }
    },
  }
}

function tooMany(waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ProblemError('rate_limited', `too many failed sign-ins from this address: wait ${seconds} s`, {
    retry_after_s: seconds,
  })
}

/** An IPv4 address, also one written as IPv6; of an IPv6 address the first 64 bits, which one household shares. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':')
}
