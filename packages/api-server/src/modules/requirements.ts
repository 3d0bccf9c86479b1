/**
 * The manifest of modules: one text, a requirement a line; comments and blank lines are kept (wire decisions G49, U14).
 * @module
 */
import { MAX_REQUIREMENT_LINES, type ProblemItem } from '@flow-service/protocol'

import { invalid } from '../http/errors.ts'
import { readRequirement, type Requirement } from './requirement-line.ts'

/** A line that asks for a package. */
export interface RequirementLine {
  /** Counted from 0. */
  readonly at: number
  /** As it was written, without what surrounds it. */
  readonly text: string
  readonly requirement: Requirement
}

/** A manifest as it was understood. */
export interface Manifest {
  readonly text: string
  readonly python: readonly RequirementLine[]
  readonly npm: readonly RequirementLine[]
}

/** Reads a manifest; refuses with `validation_failed`, and the lines that are not taken. */
export function readManifest(text: string): Manifest {
  const written = text.split(/\r?\n/)
  if (written.length > MAX_REQUIREMENT_LINES) {
    const message = `it has ${written.length} lines: use at most ${MAX_REQUIREMENT_LINES}`
    throw invalid([{ path: '/requirements', code: 'too_big', message }])
  }
  const lines: RequirementLine[] = []
  const faults: ProblemItem[] = []
  for (const [at, line] of written.entries()) {
    const read = readRequirement(line)
    if (read?.kind === 'fault') faults.push(lineFault(at, read.message))
    else if (read) lines.push({ at, text: line.trim(), requirement: read })
  }
  const npm = lines.filter(({ requirement }) => requirement.kind === 'npm')
  const seen = new Map<string, number>()
  for (const { at, requirement } of npm) {
    const first = seen.get(requirement.name)
    if (first === undefined) seen.set(requirement.name, at)
    else faults.push(lineFault(at, `line ${first + 1} names ${requirement.name} too: write one range for it`))
  }
  if (faults.length > 0) throw invalid(faults)
  return { text, python: lines.filter(({ requirement }) => requirement.kind === 'python'), npm }
}

/** A line, counted from 0, that is not taken. People count from 1. */
export const lineFault = (at: number, message: string): ProblemItem => ({
  path: `/requirements/${at}`,
  code: 'bad_requirement',
  message: `line ${at + 1}: ${message}`,
})

/** What the lines ask for, whatever their order and comments. */
export const wantedBy = (lines: readonly RequirementLine[]): string[] =>
  lines.map(({ requirement: each }) => (each.kind === 'npm' ? `${each.name}@${each.range}` : each.text)).toSorted()
