/**
 * `service __complete <shell> <line> [breaks]`, which scripts of `service completion` call: what could stand at the end of a
 * line, for one shell. The first line of the answer is `files`, `folders` or `words`; of words each is a line, behind a tab
 * with what it means. It is silent where it fails: nobody has asked for what it would tell.
 * @module
 */
import { typedLine, wantedAt } from './completion.ts'
import { isList, wordsAt } from './place-words.ts'
import { program } from './program.ts'
import { oneLine } from './table.ts'

/** Prints the answer. */
export async function complete([shell = '', line = '', breaks = '']: readonly string[]): Promise<void> {
  const answer = await answerTo(line, shell === 'bash' ? breaks : '').catch(() => ['words'])
  process.stdout.write(`${answer.join('\n')}\n`, () => process.exit(0))
}

/** Words with what a shell would obey are left out: they would have to be quoted, and are no names of ours. */
const isPlain = (word: string): boolean => word !== '' && !/[\s\p{C}'"\\$`&|;<>(){}[\]*?!#~^]/u.test(word)

async function answerTo(line: string, breaks: string): Promise<string[]> {
  const typed = typedLine(line)
  const { kept, typed: value, listed, place } = wantedAt(program(), typed)
  const found = place === null ? [] : await wordsAt(place).catch(() => [])
  if (typeof found === 'string') return [found]
  // of a list with commas the last is completed
  const before = place && isList(place) ? value.slice(0, value.lastIndexOf(',') + 1) : ''
  const all = [...listed, ...found].map(({ word, about }) => ({ word: `${kept}${before}${word}`, about }))
  const current = typed.current
  const cut = typed.quoted ? 0 : brokenAt(current, breaks)
  return [
    'words',
    ...all.filter(({ word }) => isPlain(word) && word.startsWith(current)).map((one) => lineOf(one, cut)),
  ]
}

/** Bash takes a word apart at `=` and `:`, and replaces what is behind the last of them. */
const brokenAt = (current: string, breaks: string): number =>
  Math.max(...['=', ':'].filter((mark) => breaks.includes(mark)).map((mark) => current.lastIndexOf(mark)), -1) + 1

const lineOf = ({ word, about = '' }: { word: string; about?: string | undefined }, cut: number): string =>
  `${word.slice(cut)}\t${oneLine(about, 70).replaceAll('\t', ' ')}`
