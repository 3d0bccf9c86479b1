/** A function that runs at its first call, and whose later calls wait for that same run. */
export function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= run())
}
