/**
 * What a server of a test has started, and what that has started: none of it need be a child of the test.
 * @module
 */
import fs from 'node:fs'

/** Kills all processes that have a text in their environment, also those that are being started meanwhile. */
export function killProcessesWith(text: string): void {
  for (let left = processesWith(text); left.length > 0; left = processesWith(text)) left.forEach(kill)
}

function processesWith(text: string): number[] {
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        // of one that has ended, and that nobody has reaped, it is empty
        return Number.isInteger(pid) && fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)
      } catch {
        // of another user, or ended meanwhile
        return false
      }
    })
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // ended meanwhile
  }
}
