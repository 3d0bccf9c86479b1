/**
 * The host's clock as the clock of Effect programs, so that their timeouts are virtual where the host's time is.
 * @module
 */
import * as EffectClock from 'effect/Clock'
import * as Duration from 'effect/Duration'
import * as Effect from 'effect/Effect'

import type { Clock } from './host.ts'
import { startTimer } from './timers.ts'

const nanos = (ms: number): bigint => BigInt(Math.round(ms * 1e6))

/** Runs an effect on the host's clock. */
export function onClock<A, E, R>(clock: Clock, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.provideService(effect, EffectClock.Clock, {
    currentTimeMillisUnsafe: () => clock.now(),
    currentTimeMillis: Effect.sync(() => clock.now()),
    currentTimeNanosUnsafe: () => nanos(clock.now()),
    currentTimeNanos: Effect.sync(() => nanos(clock.now())),
    monotonicTimeNanosUnsafe: () => nanos(clock.now()),
    monotonicTimeNanos: Effect.sync(() => nanos(clock.now())),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const cancel = startTimer(clock, Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(cancel)
      }),
  })
}
