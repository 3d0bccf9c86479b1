import type { Command } from 'commander'

import { clientOptions, lazily, withExamples } from './options.ts'

/** `secrets …`. */
export function addSecrets(root: Command): void {
  const secrets = root.command('secrets').description('values that settings of nodes refer to by name')
  const list = clientOptions(secrets.command('list'))
    .description('names of secrets with the nodes that refer to them; never a value')
    .action(lazily(async () => (await import('../commands/secrets.ts')).listSecrets))
  withExamples(list, 'secrets list')
  const set = clientOptions(secrets.command('set').argument('<name>', 'letters, digits, "_", "-" and "."'))
    .description('store a value, which is typed unseen or piped in; active flows that use it are built anew')
    .action(lazily(async () => (await import('../commands/secrets.ts')).setSecret))
  withExamples(set, 'secrets set mqtt_password', 'secrets set mqtt_password < password.txt')
  const remove = clientOptions(secrets.command('delete').argument('<name>', 'a secret that no flow refers to'))
    .description('delete a secret')
    .action(lazily(async () => (await import('../commands/secrets.ts')).deleteSecret))
  withExamples(remove, 'secrets delete mqtt_password')
}
