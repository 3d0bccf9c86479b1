import type { Command } from 'commander'

import { amount, byDefault, clientOptions, collect, lazily, withExamples } from './options.ts'

/** `alerts …`. */
export function addAlerts(root: Command): void {
  const alerts = root.command('alerts').description('messages about what fails in the engine, and where they are sent')
  const show = clientOptions(byDefault(alerts, 'show'))
    .description('what is sent where, and what became of the latest messages; with --json what "alerts set -f" takes')
    .action(lazily(async () => (await import('../commands/alerts.ts')).showAlerts))
  withExamples(show, 'alerts show', 'alerts show --json > alerts.json')
  const set = clientOptions(alerts.command('set'))
    .description(
      'change what the options name and keep the rest, or replace all by a file; naming a channel enables it',
    )
    .option('-f, --file <file>', 'the whole configuration as JSON, "-" for standard input; what it leaves out is reset')
    .option('--webhook <url>', 'post JSON to this address; "off" disables the channel')
    .option('--header <name=value>', 'a header for the webhook, "name=secret:NAME" for a stored secret', collect)
    .option('--push <topic>', 'notify this topic of a push server of ntfy’s kind; "off" disables the channel')
    .option('--push-server <url>', 'that server, https://ntfy.sh unless set')
    .option('--push-token <secret>', 'name of the stored secret that has the access token of the topic')
    .option('--email <address>', 'mail to this address, can be repeated; "off" disables the channel', collect)
    .option('--event <event>', 'send for this event alone, can be repeated; "all" for all eight', collect)
    .option('--interval <seconds>', 'seconds between two messages about the same thing', amount)
    .action(lazily(async () => (await import('../commands/alerts.ts')).setAlerts))
  withExamples(
    set,
    'alerts set --webhook https://hooks.example/alerts --header authorization=secret:hook_token',
    'alerts set --push my-house --event flow_failed --event connector_down',
    'alerts set --email ann@example.org --interval 3600',
    'alerts set -f alerts.json',
  )
  const test = clientOptions(alerts.command('test').argument('<channel>', 'webhook, push or email'))
    .description('send a message through a channel now, whether it is enabled or not')
    .action(lazily(async () => (await import('../commands/alerts.ts')).testAlerts))
  withExamples(test, 'alerts test webhook')
  const on = clientOptions(alerts.command('on'))
    .description('send alerts from now on')
    .action(lazily(async () => (await import('../commands/alerts.ts')).alertsOn))
  withExamples(on, 'alerts on')
  const off = clientOptions(alerts.command('off'))
    .description('send none; what was configured stays')
    .action(lazily(async () => (await import('../commands/alerts.ts')).alertsOff))
  withExamples(off, 'alerts off')
}
