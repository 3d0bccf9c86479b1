/**
 * What could stand at the end of a command line, by the grammar. Shells ask for it by the scripts of `service completion`.
 * @module
 */
import type { Argument, Command, Option } from 'commander'

import { collect } from './grammar/options.ts'
import { GLOBAL_OPTIONS, isCalled } from './grammar/spelling.ts'

/** The words before the cursor, without quotes. */
export interface TypedLine {
  /** The finished ones, the command first. */
  readonly words: readonly string[]
  /** The one that ends at the cursor; empty behind a space. */
  readonly current: string
  /** Whether it is within quotes. */
  readonly quoted: boolean
}

/** A word that could stand there, with what it means. */
export interface Candidate {
  readonly word: string
  readonly about?: string
}

/** A place whose words the grammar does not list. */
export interface Place {
  /** As the help names it: `flow`, `id`, `file`. */
  readonly name: string
  /** Of the option that it is a value of. */
  readonly option: string | null
  /** The command, without `service`. */
  readonly verbs: readonly string[]
  /** Arguments before it. */
  readonly given: readonly string[]
  /** Values of options before it, by their long names: the last of each. */
  readonly values: ReadonlyMap<string, string>
}

/** What is wanted at the cursor; `kept` stands before each word that fits. */
export interface Wanted {
  readonly kept: string
  readonly typed: string
  readonly listed: readonly Candidate[]
  readonly place: Place | null
}

/** Splits what stands before the cursor as shells do; variables and the like stay as they are. */
export function typedLine(line: string): TypedLine {
  const words: string[] = []
  let current = ''
  let quote = ''
  let isWord = false
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!
    if (quote === '' && /\s/.test(character)) {
      if (isWord) words.push(current)
      ;[current, isWord] = ['', false]
      continue
    }
    isWord = true
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (character === '\\' && quote !== "'") current += line[(at += 1)] ?? ''
    else current += character
  }
  const first = words.findIndex((word) => !/^\w+=/.test(word))
  return { words: words.slice(Math.max(first, 0)), current, quoted: quote !== '' }
}

/** What could stand at the cursor. */
export function wantedAt(root: Command, { words, current }: Pick<TypedLine, 'words' | 'current'>): Wanted {
  const { command, verbs, given, values, used, pending, isOver } = read(root, words.slice(1))
  const placeOf = (name: string, option: string | null): Place => ({ name, option, verbs, given, values })
  const ofOption = (option: Option, kept: string, typed: string): Wanted => ({
    kept,
    typed,
    listed: (option.argChoices ?? []).map((word) => ({ word })),
    place: option.argChoices ? null : placeOf(placeholder(option), option.long ?? option.short ?? ''),
  })
  if (pending) return ofOption(pending, '', current)
  const options = optionsOf(command)
  if (!isOver && current.startsWith('-')) {
    const [, name = '', typed = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? []
    const option = options.find(({ long }) => long === name)
    if (option && takesValue(option)) return ofOption(option, `${name}=`, typed)
    return { kept: '', typed: current, listed: optionWords(options, used), place: null }
  }
  const hasVerbs = given.length === 0 && !isOver
  const verbWords = hasVerbs ? command.commands.map((each) => ({ word: each.name(), about: each.description() })) : []
  const argument = argumentAt(command, given.length)
  const choices = (argument?.argChoices ?? []).map((word) => ({ word }))
  return {
    kept: '',
    typed: current,
    listed: [...verbWords, ...choices],
    place: argument && !argument.argChoices ? placeOf(argument.name(), null) : null,
  }
}

interface Read {
  readonly command: Command
  readonly verbs: string[]
  readonly given: string[]
  readonly values: Map<string, string>
  readonly used: Set<Option>
  /** The option whose value comes next. */
  readonly pending: Option | null
  /** Whether `--` stands before: no option follows. */
  readonly isOver: boolean
}

/** Goes through the finished words. */
function read(root: Command, words: readonly string[]): Read {
  const [verbs, given]: [string[], string[]] = [[], []]
  const values = new Map<string, string>()
  const used = new Set<Option>()
  let command = root
  let pending: Option | null = null
  let isOver = false
  for (const word of words) {
    if (pending) {
      values.set(pending.long ?? '', word)
      pending = null
    } else if (!isOver && word === '--') isOver = true
    else if (!isOver && word.startsWith('-') && word !== '-') {
      const [name = '', value] = word.startsWith('--') ? [word.replace(/=.*/s, ''), /=(.*)/s.exec(word)?.[1]] : [word]
      const option = optionsOf(command).find(({ short, long }) => name === short || name === long)
      if (option) used.add(option)
      if (option && value !== undefined) values.set(option.long ?? '', value)
      else if (option?.required === true) pending = option
    } else {
      const next = given.length === 0 && !isOver ? command.commands.find((each) => isCalled(each, word)) : undefined
      if (next) {
        verbs.push(next.name())
        command = next
      } else given.push(word)
    }
  }
  return { command, verbs, given, values, used, pending, isOver }
}

/** Options of the command, of the one that is meant where none of its own is named, and those that may stand before a verb. */
function optionsOf(command: Command): Option[] {
  // commander tells it in no other way
  const { _defaultCommandName: name } = command as Command & { readonly _defaultCommandName?: string | null }
  const meant = command.commands.find((each) => each.name() === name)
  const own = [...command.options, ...(meant?.options ?? [])]
  const known = new Set(own.map(({ long }) => long))
  const global = command.commands.length > 0 ? GLOBAL_OPTIONS.filter(({ long }) => !known.has(long)) : []
  return [...own, ...global].filter(({ hidden }) => !hidden)
}

const takesValue = (option: Option): boolean => option.required || option.optional

const placeholder = ({ flags }: Option): string => /[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? ''

/** Options that are not there yet, or may come again. */
function optionWords(options: readonly Option[], used: ReadonlySet<Option>): Candidate[] {
  const left = options.filter((option) => !used.has(option) || option.parseArg === (collect as unknown))
  return [
    ...left.map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description })),
    { word: '--help', about: 'display help for command' },
  ]
}

function argumentAt(command: Command, at: number): Argument | null {
  const known = command.registeredArguments
  const last = known.at(-1)
  return known[at] ?? (last?.variadic === true ? last : null)
}
