/**
 * What the code of a definition gives back, and the numbers it is given.
 * @module
 */

/** Mulberry32: a small generator of numbers in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The final values of a call; what a generator yields on the way is emitted port by port. */
export async function outcomeOf(
  result: unknown,
  emit: (port: string, value: unknown) => void,
): Promise<object | undefined> {
  return isGenerator(result) ? drain(result, emit) : ((await result) as object | undefined)
}

type AnyGenerator = Generator<object, object | undefined> | AsyncGenerator<object, object | undefined>

const isGenerator = (value: unknown): value is AnyGenerator =>
  typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'

async function drain(
  generator: AnyGenerator,
  emit: (port: string, value: unknown) => void,
): Promise<object | undefined> {
  let step = await generator.next()
  while (!step.done) {
    for (const [port, value] of Object.entries(step.value)) emit(port, value)
    step = await generator.next()
  }
  return step.value
}
