/**
 * Async generators that end when they are told to. A plain one answers `return()` only when what it waits for has come,
 * which may be never.
 * @module
 */

/**
 * The generator that `run` makes, with a `return()` that aborts the signal `run` is given; so does `signal`. `run` has
 * to end soon after its signal aborts.
 */
export function endedByReturn<T>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const end = new AbortController()
  const inner = run(signal ? AbortSignal.any([signal, end.signal]) : end.signal)
  return {
    next: () => inner.next(),
    return() {
      end.abort()
      return inner.return()
    },
    throw(error) {
      end.abort()
      return inner.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return()
    },
  }
}
