import type { Command } from 'commander'

import { byDefault, clientOptions, lazily, withExamples } from './options.ts'

/** `provisioners …`: clusters where the engine starts workers by itself. */
export function addProvisioners(root: Command): void {
  const provisioners = root.command('provisioners').description('clusters where the engine starts workers by itself')
  const list = clientOptions(byDefault(provisioners, 'list'))
    .description('profiles with their states and last errors; also without "list"')
    .action(lazily(async () => (await import('../commands/provisioners.ts')).listProvisioners))
  withExamples(list, 'provisioners list', 'provisioners list --json')
  const trial = clientOptions(
    provisioners
      .command('test')
      .argument('<provisioner>', 'its name in provisioners.json')
      .argument('<profile>', 'name of one of its profiles'),
  )
    .description('hand in a job of one minute, and show how far it comes; exits with 1 where it comes to nothing')
    .action(lazily(async () => (await import('../commands/provisioners.ts')).testProvisioner))
  withExamples(trial, 'provisioners test uni a100')
  const reload = clientOptions(provisioners.command('reload'))
    .description('read provisioners.json again; a service without a terminal does so on SIGHUP, too')
    .action(lazily(async () => (await import('../commands/provisioners.ts')).reloadProvisioners))
  withExamples(reload, 'provisioners reload')
  withExamples(provisioners, 'provisioners', 'provisioners test uni a100')
}
