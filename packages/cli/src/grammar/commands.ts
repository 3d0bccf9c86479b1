import { type Command, InvalidArgumentError, Option } from 'commander'

import { clientOptions, collect, lazily, withExamples } from './options.ts'

/** `commands …`. */
export function addCommands(root: Command): void {
  const commands = root.command('commands').description('commands for a home, in English')
  const tried = clientOptions(
    commands.command('try').argument('[sentence...]', 'what somebody says; asked for, line by line, unless given'),
  )
    .description('how a sentence is understood on this machine, and what it would do; nothing is written')
    .option('--flow <flow>', 'the devices of a commands_lm node of this flow, as they are now; needs an engine')
    .option('--node <id>', 'that node, where the flow has several')
    .option('--presence <area>', 'where the speaker is; away unless given')
    .option('--outdoor <degrees>', 'degrees Celsius outside, -5 to 30; 20 unless given', number)
    .addOption(new Option('--dark', 'it is dark outside; by the clock unless given').conflicts('light'))
    .option('--light', 'it is light outside')
    .option(
      '--device <area_kind=value>',
      'a device that is wired, and its value if you like, can be repeated; a house full of devices unless given',
      collect,
    )
    .option('--min-confidence <number>', 'what a call needs to be written, 0 to 1; 0.93 unless given', number)
    .action(lazily(async () => (await import('../commands/commands.ts')).tryCommands))
  withExamples(
    tried,
    'commands try "lights off in the kitchen and warm the bedroom in ten minutes"',
    'commands try "turn it off" --presence office --device office_light=on --device office_heating=off',
    'commands try --flow home',
  )
}

const number = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Give a number.')
  return value
}
