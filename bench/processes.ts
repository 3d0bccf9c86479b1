/**
 * What processes hold and use, by `/proc`: Linux alone tells it.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'

const MIB = 1024

/** Of the memory of a process, in MiB: what it holds now, or the most that it ever held. */
export const memoryOf = (pid: number, which: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / MIB

/** A process and all that it has started. */
export function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return Number(parent) === pid ? [Number(name)] : []
    } catch {
      return []
    }
  })
  return [pid, ...children.flatMap(familyOf)]
}

/** Milliseconds of a processor that a process has used, in steps of ten. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
