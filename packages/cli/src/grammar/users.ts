import type { Command } from 'commander'

import { byDefault, clientOptions, lazily, withExamples } from './options.ts'

/** `users …`. */
export function addUsers(root: Command): void {
  const users = root.command('users').description('people who may sign in, for superusers')
  const list = usersOptions(byDefault(users, 'list'))
    .description('users with their role, and when they signed in last; also without "list"')
    .action(lazily(async () => (await import('../commands/users.ts')).listUsers))
  withExamples(list, 'users list', 'users list --data .service')
  const add = usersOptions(users.command('add').argument('<email>', 'their e-mail address'))
    .description('add a user, who is invited to choose a password: by mail, or by the link that is printed')
    .option('--name <name>', 'their full name')
    .option('--superuser', 'who may do everything')
    .option('--password', 'give a password instead, which is typed unseen or piped in')
    .action(lazily(async () => (await import('../commands/users.ts')).addUser))
  withExamples(add, 'users add ann@example.org --name "Ann Lee"', 'users add ops@example.org --superuser --password')
  const passwd = usersOptions(ofUser(users.command('passwd')))
    .description('give a user a password, which is typed unseen or piped in; all their sessions end')
    .action(lazily(async () => (await import('../commands/users.ts')).setPassword))
  withExamples(passwd, 'users passwd ann@example.org', 'users passwd ann@example.org --data .service < password.txt')
  for (const [verb, about] of [
    ['deactivate', 'let a user in no more; all their sessions end, and their keys work no more'],
    ['activate', 'let a user in again'],
    ['promote', 'make a user a superuser'],
    ['demote', 'make a superuser an ordinary user; one superuser remains'],
  ] as const) {
    const command = usersOptions(ofUser(users.command(verb)))
      .description(about)
      .action(lazily(async () => (await import('../commands/users.ts'))[`${verb}User`]))
    withExamples(command, `users ${verb} ann@example.org`)
  }
  const remove = usersOptions(ofUser(users.command('delete')))
    .description('delete a user; flows, runs and the audit trail keep their name')
    .action(lazily(async () => (await import('../commands/users.ts')).deleteUser))
  withExamples(remove, 'users delete ann@example.org')
}

const ofUser = (command: Command): Command => command.argument('<user>', 'their e-mail address, or their id')

const usersOptions = (command: Command): Command =>
  clientOptions(command).option(
    '--data <folder>',
    'the data directory of an engine that does not run, in place of one that does',
  )
