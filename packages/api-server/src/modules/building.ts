/**
 * What the builds of Python and npm packages share: commands whose lines are heard, and failures that name a line.
 * @module
 */
import type { CommandEnd } from '@flow-service/connector-sdk'
import type { ModuleProgress } from '@flow-service/protocol'

import { runCommand } from '../host/commands.ts'
import type { BuildLog } from './build-log.ts'
import type { RequirementLine } from './requirements.ts'

/** What a build works with. */
export interface Building {
  readonly signal: AbortSignal
  readonly log: BuildLog
  /** Variables of commands, without the engine's credentials. */
  readonly env: Readonly<Record<string, string>>
  /** A folder for what is needed on the way. */
  readonly work: string
  readonly progress: (progress: ModuleProgress) => void
}

/** Modules could not be built; the message is for people, and says what to do where that is known. */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure'
}

/** Runs a command of a build; what it says goes to the log, and to `onLine`. Rejects when it cannot be started. */
export async function runBuild(
  command: { readonly file: string; readonly args: readonly string[]; readonly directory?: string },
  { signal, log, env, work }: Building,
  onLine: (line: string) => void = () => {},
): Promise<CommandEnd & { readonly lines: readonly string[] }> {
  const { file, args, directory = work } = command
  const lines: string[] = []
  const hear = (said: string): void => {
    if (said.trim() === '') return
    const line = said.replaceAll(`${work}/`, '')
    log.add(line)
    lines.push(line)
    if (lines.length > MAX_HEARD) lines.shift()
    onLine(line)
  }
  const own = { TMPDIR: work, NO_COLOR: '1' }
  const end = await runCommand({ file, args, signal }, own, { directory, env, onLine: hear })
  return { ...end, lines }
}

/** Lines of a command that its last words are looked for in. */
const MAX_HEARD = 200
/** Lines of the last words themselves. */
const MAX_WORDS = 5

/**
 * A failure by what a program has said last, with the lines of the manifest that it names. `marks` tells the lines that
 * speak of errors; where none does, the last line of all is told.
 */
export function failureOf(
  program: string,
  said: readonly string[],
  { lines, marks, log }: { readonly lines: readonly RequirementLine[]; readonly marks: RegExp; readonly log: BuildLog },
): BuildFailure {
  const marked = said.filter((line) => marks.test(line))
  const words = (marked.length > 0 ? marked : said.slice(-1)).slice(0, MAX_WORDS).map((line) => log.shown(line).trim())
  const blamed = lines.filter(({ at, requirement }) =>
    words.some((line) => names(line, requirement.name) || line.includes(`(line ${at + 1})`)),
  )
  const where = blamed.map(({ at, text }) => `line ${at + 1} ${JSON.stringify(text)}`).join(', ')
  const what = `${program} says: ${words.join(' / ') || 'nothing'}`
  return new BuildFailure(where === '' ? what : `${where}: ${what}`)
}

/** Whether a text has a name as a word of its own, however it is written. */
function names(text: string, name: string): boolean {
  const pattern = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('-', '[-_.]+')
  return new RegExp(`(?<![A-Za-z0-9_.@/-])${pattern}(?![A-Za-z0-9_-]|\\.[A-Za-z])`, 'i').test(text)
}
