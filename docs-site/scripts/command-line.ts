/**
 * The page of the `service` command, from its grammar.
 * @module
 */
import { program } from '../../packages/cli/src/program.ts'
import { code, type Page, table } from './page.ts'

type Command = ReturnType<typeof program>

/** Every subcommand with its arguments and options. */
export function commandLinePage(): Page {
  return {
    path: 'pages/command-line',
    title: 'Commands',
    description: 'Every subcommand of service with its arguments and options.',
    order: 5,
    body: [
      'How to use them: [Command line](../../../guide/command-line/). Exit codes: 0 done, 1 it failed, 2 wrong usage,',
      '3 no engine or no sign-in, 130 interrupted.',
      ...leaves(program(), []).flatMap(({ command, names }) => ['', section(command, names)]),
    ].join('\n'),
  }
}

/** Commands that do something: those without others below, and those below the first that have options of their own. */
function leaves(command: Command, above: readonly string[]): { command: Command; names: string[] }[] {
  const names = [...above, command.name()]
  const acts = command.commands.length === 0 || (above.length > 0 && command.options.length > 0)
  const below = command.commands.flatMap((child) => leaves(child as Command, names))
  return acts ? [{ command, names }, ...below] : below
}

function section(command: Command, names: readonly string[]): string {
  const words = command.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`))
  const argumentRows = command.registeredArguments.map((each) => [code(each.name()), marked(each.description)])
  const optionRows = command.options.map(({ flags, description, mandatory }) => [
    code(flags),
    marked(mandatory ? `${description} (required)` : description),
  ])
  return [
    `## ${names.join(' ')}`,
    '',
    `${marked(capital(command.description()))}.`,
    '',
    '```sh',
    [...names, ...words, ...(optionRows.length > 0 ? ['[options]'] : [])].join(' '),
    '```',
    '',
    table(['', ''], [...argumentRows, ...optionRows]),
  ].join('\n')
}

/** Options and variables in a sentence as code; two hyphens would become a dash. */
const marked = (text: string): string =>
  text.replaceAll(/(?<=^|[\s(])(?:--[a-z][\w-]*|[A-Z]+_[A-Z_]+)(?=$|[\s,.;:)])/g, (word) => code(word))

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
