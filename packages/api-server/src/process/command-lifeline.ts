/**
 * Ends commands when the engine is killed, which then cannot do it itself: a shell beside the engine knows the process
 * groups of the commands that run, and kills them when its input ends. It lives while commands do. POSIX only; what it
 * misses is ended by the next start of the engine.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'

/** Lines are `+ <group>` and `- <group>`. */
const script = `groups=
while read -r op group; do
  rest=
  for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
  groups=$rest
  [ "$op" = + ] && groups="$groups $group"
done
for each in $groups; do kill -9 "-$each"; done`

/** One object a process. */
export class CommandLifeline {
  #keeper: ChildProcess | null = null
  #groups = 0

  /** Has a process group end with this process, until the result is called. */
  hold(group: number): () => void {
    const keeper = this.#living()
    this.#groups++
    keeper?.stdin?.write(`+ ${group}\n`)
    return () => {
      keeper?.stdin?.write(`- ${group}\n`)
      if (--this.#groups > 0) return
      this.#keeper?.stdin?.end()
      this.#keeper = null
    }
  }

  #living(): ChildProcess | null {
    if (process.platform === 'win32') return null
    if (this.#keeper === null || this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) {
      // in a group of its own: an interrupt that is meant for the engine is not for it
      this.#keeper = spawn('/bin/sh', ['-c', script], { detached: true, env: {}, stdio: ['pipe', 'ignore', 'ignore'] })
      this.#keeper.unref()
      for (const emitter of [this.#keeper, this.#keeper.stdin]) emitter?.on('error', () => {})
    }
    return this.#keeper
  }
}
