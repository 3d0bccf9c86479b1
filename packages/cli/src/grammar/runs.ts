import type { Command } from 'commander'

import { clientOptions, collect, integer, lazily, positive, withExamples } from './options.ts'

/** `run` and `runs …`. */
export function addRuns(root: Command): void {
  const run = clientOptions(root.command('run').argument('<flow>', 'name of a batch flow'))
    .description('submit a run')
    .option('-p, --param <name=value>', 'a parameter; the value is JSON, or text as it stands', collect)
    .option('--seed <number>', 'seed of the run', integer)
    .option('--draft', 'run the draft instead of the published version')
    .option('--no-cache', 'execute every stage again')
    .option('--watch', 'follow the run; exit code 1 unless it ends ok')
    .action(lazily(async () => (await import('../commands/run.ts')).run))
  withExamples(run, 'run estimate_pi -p samples=1000 --seed 7 --watch')
  const runs = root.command('runs').description('runs of batch flows')
  const list = clientOptions(runs.command('list'))
    .description('runs, newest first')
    .option('--flow <name>', 'runs of this flow; several separated by commas')
    .option('--status <status>', 'queued, running, ok, error, cancelled, abandoned; several separated by commas')
    .option('--limit <number>', 'at most so many, 1 to 500 (50)', positive)
    .action(lazily(async () => (await import('../commands/runs.ts')).listRuns))
  withExamples(list, 'runs list --flow estimate_pi --status error')
  const show = clientOptions(runs.command('show').argument('<id>', 'id of a run'))
    .description('one run with its nodes, metrics and result')
    .action(lazily(async () => (await import('../commands/runs.ts')).showRun))
  withExamples(show, 'runs show 01a2b3c4-0000-7000-8000-000000000000')
}
