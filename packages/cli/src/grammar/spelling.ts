/**
 * How a command line may be spelled: options of an engine before or after the verb, other words for verbs that read, and what
 * a word that is no verb may have meant. `bin.ts` arranges the arguments before they are parsed; without it
 * `service --json flows list` is refused, and `flows show` is told to mean `flows stop`.
 * @module
 */
import { type Command, Option } from 'commander'

/** Options that may stand before the verb. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  new Option('--json', 'print JSON for programs'),
  new Option('--url <base>', 'API of the engine, ends in /api/v1'),
  new Option('--token <token>', 'access token'),
]

/** Verbs that change nothing, and words that people type for them. */
const READING = new Set(
  `list ls get show view read cat describe info status validate history watch log logs diff compare export report types
   pending tokens state graph versions completion`.split(/\s+/),
)

/** Other words for a verb, where a group has it and no verb of that name. */
const OTHER_WORDS: Readonly<Record<string, string>> = { get: 'show', show: 'get', list: 'ls' }

/** Gives every group of the tree the {@link OTHER_WORDS}. */
export function addOtherWords(group: Command): void {
  for (const command of group.commands) {
    const other = OTHER_WORDS[command.name()]
    if (other !== undefined && !group.commands.some((each) => isCalled(each, other))) command.alias(other)
    addOtherWords(command)
  }
}

/** Whether a word is the name of the command, or another word for it. */
export const isCalled = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word)

/**
 * The arguments with the options of an engine behind the verb. A word in the place of a verb that is none ends the command
 * with what it may have meant.
 */
export function arranged(root: Command, args: readonly string[]): string[] {
  const [verbs, moved]: [string[], string[]] = [[], []]
  let group = root
  let at = 0
  for (; at < args.length; at += 1) {
    const word = args[at] ?? ''
    const option = GLOBAL_OPTIONS.find(({ long }) => long === word.replace(/=.*/s, ''))
    if (option) {
      moved.push(word)
      if (option.required && !word.includes('=')) moved.push(...args.slice((at += 1), at + 1))
      continue
    }
    const command = group.commands.find((each) => isCalled(each, word))
    if (!command) {
      refuseWord(group, word)
      break
    }
    verbs.push(word)
    group = command
  }
  return [...verbs, ...moved, ...args.slice(at)]
}

function refuseWord(group: Command, word: string): void {
  const isGroup = group.commands.length > 0 && group.registeredArguments.length === 0
  if (!isGroup || word.startsWith('-') || word === 'help') return
  const meant = meantBy(
    word,
    group.commands.flatMap((each) => [each.name(), ...each.aliases()]),
  )
  const hint = meant.length > 0 ? `\n(Did you mean ${meant.join(' or ')}?)` : ''
  group.error(`error: unknown command '${word}'${hint}`)
}

/** The verbs that a word may have meant: for one that reads, or is close to one that does, never one that changes something. */
export function meantBy(word: string, verbs: readonly string[]): string[] {
  const reading = verbs.filter((verb) => READING.has(verb))
  if (READING.has(word)) return reading.filter((verb) => ['list', 'get', 'show'].includes(verb))
  const close = (among: readonly string[]) => {
    const far = new Map(among.map((verb) => [verb, distance(word, verb)]))
    const least = Math.min(...far.values())
    return least <= Math.max(1, Math.floor(word.length * 0.4)) ? among.filter((verb) => far.get(verb) === least) : []
  }
  const readers = close(reading)
  return readers.length > 0 ? readers : close(verbs)
}

/** How many letters have to be added, taken away, replaced or swapped with the next. */
function distance(from: string, to: string): number {
  const rows = Array.from({ length: from.length + 1 }, (_, row) =>
    Array.from({ length: to.length + 1 }, (_, column) => Math.max(row, column)),
  )
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Infinity
  for (let row = 1; row <= from.length; row += 1) {
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = cell(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwapped ? cell(row - 2, column - 2) + 1 : Infinity
      const least = Math.min(cell(row - 1, column) + 1, cell(row, column - 1) + 1, replaced, swapped)
      const line = rows[row]
      if (line) line[column] = least
    }
  }
  return cell(from.length, to.length)
}
