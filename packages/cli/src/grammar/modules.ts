import type { Command } from 'commander'

import { byDefault, clientOptions, lazily, withExamples } from './options.ts'

/** `modules …`. */
export function addModules(root: Command): void {
  const modules = root.command('modules').description('packages of Python nodes and connectors, listed in one text')
  const list = clientOptions(byDefault(modules, 'list'))
    .description('what is installed, where, what was skipped, and whether an apply runs or has failed')
    .option('--requirements', 'print nothing but the manifest in force, to be changed and applied again')
    .option('--log', 'what the latest apply has said, too')
    .action(lazily(async () => (await import('../commands/modules.ts')).listModules))
  withExamples(list, 'modules list', 'modules list --requirements > requirements.txt')
  const apply = clientOptions(modules.command('apply'))
    .description('install what a file lists, in place of everything before; it is built aside, then swapped in')
    .requiredOption('-r, --requirements <file>', 'the manifest, "-" for standard input: numpy>=2, or npm:ms@^2 a line')
    .option('--watch', 'show how far it is, until it is in force or has failed')
    .action(lazily(async () => (await import('../commands/modules.ts')).applyModules))
  withExamples(apply, 'modules apply -r requirements.txt --watch', 'modules apply -r - < /dev/null')
}
