/**
 * What the twin of a device plays: values and pictures, each at its time.
 * @module
 */
import type { Clock } from '@flow-service/core'

import { type Duration, millisecondsOf } from './duration.ts'
import type { Picture } from './test-picture.ts'

/** A value or a picture of a port, and when it comes: seconds, or text such as `1500ms`, from the beginning of the play. */
export type TwinStep<In extends string = string> =
  | { readonly at: Duration; readonly port: In; readonly value: unknown }
  | { readonly at: Duration; readonly port: In; readonly picture: Picture }

/** How steps are played. */
export interface TwinPlay<In extends string> {
  readonly steps: readonly TwinStep<In>[]
  readonly clock: Pick<Clock, 'setTimer'>
  /** Does one; whether it went out. */
  readonly act: (step: TwinStep<In>) => Promise<boolean>
}

/**
 * Does each step at its time, and resolves to those that went out when all are done. Rejects with an Error that names the first
 * step which was refused; those after it are not done.
 */
export async function playSteps<In extends string>({ steps, clock, act }: TwinPlay<In>): Promise<TwinStep<In>[]> {
  const timed = steps.map((step) => ({ step, atMs: millisecondsOf(step.at) }))
  const cancels: (() => void)[] = []
  const playing = timed.map(async ({ step, atMs }, index) => {
    const due = Promise.withResolvers<Promise<boolean>>()
    // what a step sends leaves in the moment that is its own
    cancels.push(clock.setTimer(atMs, () => due.resolve(act(step))))
    try {
      return await due.promise
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`step ${index + 1}, "${step.port}" at ${atMs} ms, was refused: ${why}`, { cause: error })
    }
  })
  try {
    const sent = await Promise.all(playing)
    return steps.filter((_step, index) => sent[index])
  } finally {
    for (const cancel of cancels) cancel()
  }
}
