import type { Command } from 'commander'

import { byDefault, clientOptions, collect, integer, lazily, withExamples } from './options.ts'

/** `oauth …`: agents that act for you, and programs that may ask for it. */
export function addOAuth(root: Command): void {
  const oauth = root.command('oauth').description('agents that act for you, and programs that may ask for it')
  const token = clientOptions(oauth.command('token'))
    .description('make a token for an agent and print it, this once: standard output gets nothing else')
    .requiredOption('--client <name>', 'name of the agent, which the audit trail shows')
    .requiredOption(
      '--scope <scopes>',
      'what it may do, of all that you may; several in one text, or several times',
      collect,
    )
    .option('--days <number>', 'days that it counts for (30)', integer)
    .action(lazily(async () => (await import('../commands/oauth.ts')).createToken))
  withExamples(token, 'oauth token --client desk --scope "flows:read runs:write" --days 90 > desk.token')
  const tokens = clientOptions(oauth.command('tokens'))
    .description('agents that you have let in, never the texts of their tokens')
    .option('--all', 'those of everybody; for superusers')
    .action(lazily(async () => (await import('../commands/oauth.ts')).listTokens))
  withExamples(tokens, 'oauth tokens', 'oauth tokens --all --json')
  const revoke = clientOptions(oauth.command('revoke').argument('<agent>', 'its id, or its name if one alone has it'))
    .description('end an agent for good, with all its tokens')
    .action(lazily(async () => (await import('../commands/oauth.ts')).revokeToken))
  withExamples(revoke, 'oauth revoke desk')
  addClients(oauth)
  withExamples(oauth, 'oauth token --client desk --scope flows:read', 'oauth tokens', 'oauth client list')
}

function addClients(oauth: Command): void {
  const client = oauth.command('client').description('programs that may ask users, in their browser, to let them in')
  const list = clientOptions(byDefault(client, 'list'))
    .description('programs with where users are sent back to; also without "list"')
    .action(lazily(async () => (await import('../commands/oauth.ts')).listClients))
  withExamples(list, 'oauth client list')
  const add = clientOptions(client.command('add').argument('<name>', 'what users are shown'))
    .description('let a program ask; prints its client id')
    .requiredOption(
      '--redirect <url>',
      'where users are sent back to (several times): https, http on this machine with any port, or a scheme of its own',
      collect,
    )
    .action(lazily(async () => (await import('../commands/oauth.ts')).addClient))
  withExamples(add, 'oauth client add Desk --redirect http://127.0.0.1/callback')
  const remove = clientOptions(client.command('remove').argument('<client>', 'its id, or its name if one alone has it'))
    .description('forget a program; what users have let it do is revoked')
    .action(lazily(async () => (await import('../commands/oauth.ts')).removeClient))
  withExamples(remove, 'oauth client remove Desk')
}
