/**
 * How far a move, a backup or a restore is, line by line, for people.
 * @module
 */
import type { Step } from '@flow-service/api-server'

import { byteCount } from './table.ts'

/** A long table is told of once more after so many milliseconds. */
const AGAIN_MS = 2_000

const VERBS: Readonly<Record<Step['step'], string>> = {
  check: 'checked',
  copy: 'copied',
  compare: 'compared',
}

/** Tells steps: a line for each table, more of one that takes long, and one for artifacts. */
export class StepLines {
  readonly #print: (line: string) => void
  readonly #now: () => number
  #current: Step | null = null
  #done = 0
  #since = 0
  #toldAt = 0
  #told = 0

  constructor(print: (line: string) => void, now: () => number = () => performance.now()) {
    this.#print = print
    this.#now = now
  }

  add(step: Step): void {
    const now = this.#now()
    if (this.#current?.step !== step.step || this.#current.table !== step.table) {
      this.end()
      this.#done = this.#told = 0
      this.#since = this.#toldAt = now
    }
    this.#current = step
    this.#done += step.rows
    if (now - this.#toldAt < AGAIN_MS) return
    this.#toldAt = now
    this.#tell(step)
  }

  /** Tells what the last line was not told of. */
  end(): void {
    if (this.#current && this.#told < this.#done) this.#tell(this.#current)
    this.#current = null
  }

  #tell({ step, table, of }: Step): void {
    this.#told = this.#done
    const seconds = Math.max((this.#now() - this.#since) / 1000, 0.001)
    const verb = VERBS[step]
    if (table === '') this.#print(`${verb} artifacts: ${byteCount(this.#done)}`)
    else {
      const rate = this.#done < FEW ? '' : `, ${count(Math.round(this.#done / seconds))} a second`
      const all = of > this.#done ? ` of ${count(of)}` : ''
      const rows = (of > this.#done ? of : this.#done) === 1 ? 'row' : 'rows'
      this.#print(`${verb} ${table}: ${count(this.#done)}${all} ${rows}${rate}`)
    }
  }
}

/** Rows that are too few for a rate. */
const FEW = 1_000

/** A number with its thousands apart: `1,000,000`. */
export const count = (value: number): string => value.toLocaleString('en-US')
