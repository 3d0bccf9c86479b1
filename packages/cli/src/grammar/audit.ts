import type { Command } from 'commander'

import { clientOptions, lazily, positive, time, withExamples } from './options.ts'

/** `audit`: who did what. */
export function addAudit(root: Command): void {
  const audit = clientOptions(root.command('audit'))
    .description('who changed what in the last 30 days, newest first')
    .option('--actor <user>', 'what this user did: an e-mail address or an id')
    .option('--action <prefix>', 'actions that begin like this: flow. or user.create')
    .option('--flow <name>', 'what was done to this flow')
    .option('--since <time>', 'from then on: 10m, 2h or 3d ago, or a date', time)
    .option('--until <time>', 'until then, without it', time)
    .option('--limit <number>', 'at most so many, 1 to 500 (50)', positive)
    .option('--follow', 'go on with what is done from now on, oldest first, until Ctrl-C')
    .action(lazily(async () => (await import('../commands/audit.ts')).showAudit))
  withExamples(audit, 'audit --since 1d', 'audit --actor ann@example.com --action flow.', 'audit --follow --json')
}
