/**
 * What a test waits for of the twin of a device, and how it is told that it did not come.
 * @module
 */
import { AssertionError } from 'node:assert'

import type { DeviceStatus } from '@flow-service/device-sdk'

/** Values and ports that a message has at most. */
const SHOWN = 10

/** Something that is to come. */
export interface Awaited {
  readonly withinMs: number
  readonly isSo: () => boolean
  /** Whether it will never be so. */
  readonly isOver: () => boolean
  /** What to say when it has not come. */
  readonly failure: () => Failure
}

/** What is wrong, with what test runners show side by side. */
export interface Failure {
  readonly message: string
  readonly actual: unknown
  readonly expected: unknown
}

/** Waits, for a while. */
export class Patience {
  readonly #reviews = new Set<() => void>()

  /** Looks at all that is waited for, because something has happened. */
  review(): void {
    const reviews = [...this.#reviews]
    for (const review of reviews) review()
  }

  /** Resolves when it is so. Rejects with an AssertionError when it is over or the time is up; its stack is the caller's. */
  until({ withinMs, isSo, isOver, failure }: Awaited): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const caller = new Error('of the caller')
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      this.#reviews.delete(review)
      settle()
    }
    const fail = (): void => end(() => reject(assertionOf(failure(), caller)))
    const review = (): void => {
      if (isSo()) end(resolve)
      else if (isOver()) fail()
    }
    const timer = setTimeout(fail, withinMs)
    this.#reviews.add(review)
    review()
    return promise
  }
}

function assertionOf(failure: Failure, { stack = '' }: Error): AssertionError {
  const error = new AssertionError({ ...failure, operator: 'twin' })
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  error.stack = [`AssertionError: ${failure.message}`, ...frames].join('\n')
  return error
}

/** A value in a message. */
export const shown = (value: unknown): string => (typeof value === 'function' ? String(value) : JSON.stringify(value))

/** The last of several in a message. */
export const listed = (all: readonly string[]): string => {
  const last = all.slice(-SHOWN).join(', ')
  if (all.length > SHOWN) return `… ${last} (the last ${SHOWN} of ${all.length})`
  return last || 'nothing'
}

/** How a device stands, behind a message; nothing while it is online. */
export function howItIs(status: DeviceStatus): string {
  if (status.state === 'online') return ''
  return status.state === 'connecting'
    ? '; it is connecting'
    : `; it is ${status.state === 'ended' ? `over (${status.reason})` : 'offline'}: ${status.detail}`
}
