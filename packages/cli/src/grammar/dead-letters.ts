import type { Command } from 'commander'

import { clientOptions, lazily, positive, time, withExamples } from './options.ts'

/** `dead-letter …`: deliveries that ended without being done. */
export function addDeadLetters(root: Command): void {
  const letters = root.command('dead-letter').description('deliveries that ended without being done')
  const list = filters(clientOptions(letters.command('list')))
    .description('dead letters, newest first')
    .option('--limit <number>', 'at most so many, 1 to 500 (50)', positive)
    .action(lazily(async () => (await import('../commands/dead-letters.ts')).listDeadLetters))
  withExamples(list, 'dead-letter list --flow climate --since 1d')
  const replay = filters(clientOptions(letters.command('replay').argument('[ids...]', 'ids of dead letters')))
    .description('deliver dead letters again, by their ids or by what they have in common')
    .option('--all', 'every one')
    .action(lazily(async () => (await import('../commands/dead-letters.ts')).replayDeadLetters))
  withExamples(
    replay,
    'dead-letter replay 01a2b3c4-0000-7000-8000-000000000000',
    'dead-letter replay --flow climate --reason overflow',
  )
  const dismiss = clientOptions(letters.command('dismiss').argument('<ids...>', 'ids of dead letters'))
    .description('take dead letters off the list without delivering them')
    .action(lazily(async () => (await import('../commands/dead-letters.ts')).dismissDeadLetters))
  withExamples(dismiss, 'dead-letter dismiss 01a2b3c4-0000-7000-8000-000000000000')
}

const filters = (command: Command): Command =>
  command
    .option('--flow <name>', 'those of this flow')
    .option('--node <id>', 'those of this node')
    .option('--reason <reason>', 'crash, overflow, expired, loop_limit, lease, stopped')
    .option('--since <time>', 'from then on: 10m, 2h or 3d ago, or a date', time)
    .option('--before <time>', 'until then, without it', time)
