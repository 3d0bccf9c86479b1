import { meaningOfScope, type Scope, scopes } from '@flow-service/protocol/words'
import { type Command, InvalidArgumentError, Option } from 'commander'

import { byDefault, clientOptions, lazily, positive, withExamples } from './options.ts'

/** `keys …`: keys by which programs are signed in. */
export function addKeys(root: Command): void {
  const keys = root.command('keys').description('API keys, by which programs are signed in as you, within scopes')
  const list = clientOptions(byDefault(keys, 'list'))
    .description('your keys, never their texts; also without "list"')
    .option('--all', 'those of all users, for superusers')
    .action(lazily(async () => (await import('../commands/keys.ts')).listKeys))
  withExamples(list, 'keys list', 'keys list --all')
  const create = clientOptions(keys.command('create').argument('<name>', 'no other live key of yours has it'))
    .description('make a key and print it, this once: standard output gets nothing else')
    .addOption(
      new Option('--scope <scope>', 'what it is good for, of what you may do; as often as needed')
        .argParser(scope)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--days <number>', 'how long it is good for, up to 3650 (365)').argParser(positive))
    .addOption(new Option('--never', 'it does not expire').conflicts('days'))
    .addHelpText(
      'after',
      `\nScopes:\n${scopes.map((word) => `  ${word.padEnd(20)}${meaningOfScope(word)}`).join('\n')}`,
    )
    .action(lazily(async () => (await import('../commands/keys.ts')).createKey))
  withExamples(create, 'keys create ci --scope flows:read --scope runs:write --days 30 > ci.key')
  const revoke = clientOptions(keys.command('revoke').argument('<key>', 'its name, or its id'))
    .description('revoke a key for good: what uses it is refused from then on; superusers revoke any by its id')
    .action(lazily(async () => (await import('../commands/keys.ts')).revokeKey))
  withExamples(revoke, 'keys revoke ci')
  withExamples(keys, 'keys create ci --scope runs:write > ci.key', 'keys', 'keys revoke ci')
}

function scope(text: string, earlier: readonly Scope[] = []): Scope[] {
  const named = text.split(',').map((word) => {
    const known = scopes.find((one) => one === word)
    if (known === undefined) throw new InvalidArgumentError(`Give one of ${scopes.join(', ')}.`)
    return known
  })
  return [...new Set([...earlier, ...named])]
}
