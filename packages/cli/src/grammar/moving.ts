import { type Command, Option } from 'commander'

import { clientOptions, lazily, withExamples } from './options.ts'

const DATA = ['--data <dir>', 'data directory (SERVICE_DATA_DIR, ./.service)'] as const

/** `move backup restore`. */
export function addMoving(root: Command): void {
  const move = root
    .command('move')
    .description('move a database with all that is in it to another place, while no engine uses either')
    .option('--to <place>', 'where to: the URL of an empty database of a PostgreSQL server, or "embedded"')
    .option('--from <place>', 'where from; the embedded database, or SERVICE_DATABASE_URL for a move to that')
    .option(...DATA)
    .option('--dry-run', 'tell what would be moved')
    .addOption(
      new Option(
        '--undo <place>',
        'use a database again that has moved; what changed at the other place since is not in it',
      ).conflicts(['to', 'from', 'dryRun']),
    )
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('../commands/move.ts')).move))
  withExamples(
    move,
    'move --to postgres://flows:password@db.example/flows --data /var/lib/flows',
    'move --to embedded --from postgres://flows:password@db.example/flows --data /srv/new',
    'move --undo embedded --data /var/lib/flows',
  )
  const backup = clientOptions(root.command('backup').argument('<file>', 'a file that is not there yet'))
    .description('all that an engine keeps, as one file of mode 0600, while the engine goes on; for superusers')
    .option(
      '--data <dir>',
      'without an engine: of this data directory, or of SERVICE_DATABASE_URL, whose engines may run',
    )
    .option('--artifacts', 'with the bytes of artifacts that are in an S3-compatible store')
    .option('--no-artifacts', 'without the bytes of artifacts')
    .option('--with-keys <dir>', 'with the keys of this data directory: whoever has the file reads all secrets then')
    .option('--force', 'replace the file if it exists')
    .action(lazily(async () => (await import('../commands/backup.ts')).backup))
  withExamples(
    backup,
    'backup flows.backup',
    'backup flows.backup --data /var/lib/flows --with-keys /var/lib/flows',
    'backup "flows-$(date +%F).backup" --url https://flows.example.com/api/v1',
  )
  const restore = root
    .command('restore')
    .argument('<file>', 'a file of "service backup"')
    .description('restore a backup into an empty data directory, or an empty database of a PostgreSQL server')
    .option('--to <place>', 'where to: "embedded", or the URL of a server (SERVICE_DATABASE_URL, else embedded)')
    .option(...DATA)
    .option('--no-artifacts', 'leave the artifacts of the backup out')
    .option('--dry-run', 'check the file, and tell what is in it')
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('../commands/restore.ts')).restore))
  withExamples(
    restore,
    'restore flows.backup --data /srv/new',
    'restore flows.backup --to postgres://flows:password@db.example/flows',
    'restore flows.backup --dry-run',
  )
}
