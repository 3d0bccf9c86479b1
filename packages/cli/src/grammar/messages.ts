import type { Command } from 'commander'

import { clientOptions, lazily, positive, time, withExamples } from './options.ts'

/** `messages …` and `events`. */
export function addMessages(root: Command): void {
  const messages = root.command('messages').description('values that flows exchange')
  const list = clientOptions(messages.command('list'))
    .description('messages of published flows with their last values')
    .option('--flow <name>', 'messages of this flow')
    .action(lazily(async () => (await import('../commands/messages.ts')).listMessages))
  withExamples(list, 'messages list --flow climate')
  const publish = clientOptions(
    messages
      .command('publish')
      .argument('<message>', 'flow.message, or the message where one flow alone declares it')
      .argument('<value>', 'JSON, or text as it stands'),
  )
    .description('publish a value')
    .action(lazily(async () => (await import('../commands/messages.ts')).publishMessage))
  withExamples(publish, 'messages publish climate.temp 21.5', `messages publish climate.mode '"night"'`)
  const watch = clientOptions(
    messages.command('watch').argument('[pattern]', 'names to show; * stands for anything', '*'),
  )
    .description('show last values and every new one, until Ctrl-C; --json is a line of JSON for each')
    .option('-n, --count <number>', 'end after so many values', positive)
    .action(lazily(async () => (await import('../commands/messages.ts')).watchMessages))
  withExamples(watch, `messages watch 'climate.*'`)
  const history = clientOptions(messages.command('history').argument('<message>', 'flow.message'))
    .description('kept values of a message, newest first')
    .option('--limit <number>', 'at most so many, 1 to 500 (50)', positive)
    .option('--since <time>', 'from then on: 10m, 2h or 3d ago, or a date', time)
    .option('--before <time>', 'until then, without it', time)
    .action(lazily(async () => (await import('../commands/messages.ts')).messageHistory))
  withExamples(history, 'messages history climate.temp --since 2h')
  const events = clientOptions(root.command('events'))
    .description('show what happens, until Ctrl-C; --json is a line of JSON for each event')
    .option('--flow <names>', 'events of this flow; several separated by commas')
    .option(
      '--type <types>',
      'snapshot, flow, node, value, health, run, log, error; several separated by commas; log only where named',
    )
    .option('-n, --count <number>', 'end after so many events', positive)
    .action(lazily(async () => (await import('../commands/events.ts')).followEvents))
  withExamples(events, 'events --flow climate --type flow,health', 'events --json | jq .type')
}
