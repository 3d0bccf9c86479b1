/** A function that runs at its first call, and whose later calls wait for that same run. */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= run())
}
