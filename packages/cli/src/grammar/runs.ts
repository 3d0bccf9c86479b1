import { type Command, Option } from 'commander'

import {
  clientOptions,
  collect,
  integer,
  integers,
  lazily,
  positive,
  runId,
  runIds,
  time,
  withExamples,
  words,
} from './options.ts'

const assignment = 'parameters, as -p has them'
const data = () => import('../commands/runs-data.ts')

/** `run`, `sweep`, `plan` and `runs …`. */
export function addRuns(root: Command): void {
  const run = clientOptions(
    root.command('run').argument('<flow>', 'name of a batch flow').argument('[name=value...]', assignment),
  )
    .description('submit a run')
    .option('-p, --param <name=value>', 'a parameter; the value is JSON, or text as it stands', collect)
    .option('-P, --params-file <file>', 'parameters in a JSON or YAML file; single ones win over it')
    .option('--seed <number>', 'seed of the run', integer)
    .option('--draft', 'run the draft instead of the published version')
    .option('--no-cache', 'execute every stage again')
    .option('--priority <number>', 'a run of a higher one starts first (0)', integer)
    .option('--key <text>', 'a key used before names the run that was submitted then')
    .option('--watch', 'follow the run; exit code 1 unless it ends ok')
    .action(lazily(async () => (await import('../commands/run.ts')).run))
  withExamples(run, 'run estimate_pi samples=1000 --seed 7 --watch', 'run fit -P params.yaml lr=0.1')
  addSearches(root)
  const runs = root.command('runs').description('runs of batch flows')
  addReading(runs)
  addComparing(runs)
  addChanging(runs)
}

const searchOptions = (command: Command): Command =>
  clientOptions(command)
    .option('-p, --param <name=value>', 'a parameter that all runs have; JSON, or text as it stands', collect)
    .option('-P, --params-file <file>', 'parameters in a JSON or YAML file; single ones win over it')
    .option('--grid <name=values>', 'values of a parameter: name=0.1,0.3 or a JSON list; several span a grid', collect)
    .option('--seeds <numbers>', 'every combination once for each: 1,2,3 or 1..10', integers)
    .option('--file <json>', 'a list of params in place of a grid')
    .option('--draft', 'the draft instead of the published version')
    .option('--no-cache', 'execute every stage again')

function addSearches(root: Command): void {
  const sweep = searchOptions(
    root.command('sweep').argument('<flow>', 'name of a batch flow').argument('[name=value...]', assignment),
  )
    .description('submit a run for every combination of parameters; all of them or none')
    .option('--priority <number>', 'runs of a higher one start first (0)', integer)
    .option('--watch', 'follow the runs; exit code 1 unless all end ok')
    .action(lazily(async () => (await import('../commands/sweep.ts')).sweep))
  withExamples(
    sweep,
    'sweep fit --grid lr=0.01,0.1,0.3 --grid hidden=8,16 --seeds 1..4 --watch',
    'sweep fit --file entries.json -p epochs=50',
  )
  const plan = searchOptions(
    root.command('plan').argument('<flow>', 'name of a batch flow').argument('[name=value...]', assignment),
  )
    .description('tell which stages a run or sweep would execute, and why; executes nothing')
    .action(lazily(async () => (await import('../commands/sweep.ts')).plan))
  withExamples(plan, 'plan fit -p lr=0.2', 'plan fit --grid lr=0.01,0.1 --seeds 1..4')
}

const grouping = (command: Command): Command =>
  command
    .option('--by <inputs>', 'means and spread over the runs that share these: params.lr, or lr,depth', words)
    .option('--min', 'with --by: the least mean of last values is the best')
    .option('--max', 'with --by: the greatest mean of last values is the best')

function addReading(runs: Command): void {
  const list = clientOptions(runs.command('list'))
    .description('runs, newest first')
    .option('--flow <name>', 'runs of this flow; several separated by commas')
    .option('--status <status>', 'queued, running, ok, error, cancelled, abandoned; several separated by commas')
    .option('--group <id>', 'the runs of a sweep')
    .option('--since <time>', 'created since then: 10m, 2h, 3d ago, or a date', time)
    .option('--before <time>', 'created before then', time)
    .option('--limit <number>', 'at most so many, 1 to 500 (50)', positive)
    .option('--filter <terms>', 'as in "params.lr<0.01 metrics.acc>0.9 tags=best"; all terms hold')
    .option('--sort <fields>', 'as in -metrics.acc,params.lr; with - the greatest first')
    .option('--columns <fields>', 'further columns, as in params.lr,results.f1,metrics.loss:min,tags', words)
    .option('--archived', 'archived runs, too')
    .action(lazily(async () => (await import('../commands/runs.ts')).listRuns))
  withExamples(
    list,
    'runs list --flow estimate_pi --status error',
    'runs list --since 2h',
    "runs list --filter 'params.lr<0.01 metrics.acc>0.9' --sort -metrics.acc --columns params.lr",
  )
  const best = clientOptions(runs.command('best').requiredOption('--metric <name>', 'a message, or results.<output>'))
    .description('the runs whose curve came lowest or highest, the best first')
    .option('--min', 'the least value is the best')
    .option('--max', 'the greatest value is the best')
    .option('--last', 'the last value of each curve counts, not its best')
    .option('--flow <name>', 'runs of this flow; several separated by commas')
    .option('--group <id>', 'the runs of a sweep')
    .option('--filter <terms>', 'as in "params.depth=3 tags=baseline"; all terms hold')
    .option('--limit <number>', 'at most so many (5)', positive)
    .action(lazily(async () => (await import('../commands/runs.ts')).bestRuns))
  withExamples(best, 'runs best --metric loss --min --flow fit', 'runs best --metric results.f1 --max --group 01a2…')
  const show = clientOptions(runs.command('show').argument('<id>', 'id of a run', runId))
    .description('one run with its nodes, metrics and result')
    .action(lazily(async () => (await import('../commands/runs.ts')).showRun))
  withExamples(show, 'runs show 01a2b3c4-0000-7000-8000-000000000000')
  const logs = clientOptions(
    runs.command('logs').argument('<id>', 'id of a run', runId).argument('[node]', 'id of a node; all unless given'),
  )
    .description('what the nodes of a run have printed: the last 64 KiB of each')
    .option('-f, --follow', 'and what they print until the run ends')
    .option('-n, --lines <number>', 'begin with the last so many lines of each node', positive)
    .action(lazily(async () => (await import('../commands/logs.ts')).runLogs))
  withExamples(
    logs,
    'runs logs 01a2b3c4-0000-7000-8000-000000000000',
    'runs logs 01a2b3c4-0000-7000-8000-000000000000 train --follow',
  )
}

function addComparing(runs: Command): void {
  const compare = grouping(
    clientOptions(
      runs
        .command('compare')
        .argument('<metric>', 'a message; with --by an output as well, as in results.f1')
        .argument('[id...]', 'runs', runIds),
    )
      .description('draw the curves of a metric beside each other; up to 50 runs, or groups of up to 1,000')
      .option('--flow <name>', 'the newest runs of this flow that ended ok')
      .option('--group <id>', 'the runs of a sweep that ended ok')
      .option('--filter <terms>', 'as in "params.depth=3 tags=baseline"; all terms hold')
      .option('--x <axis>', 'step, time, or another metric (step)'),
  )
    .option('--metric <name>', 'what the best group is told by, if not by the curve: a message, or results.<output>')
    .action(lazily(async () => (await import('../commands/compare.ts')).compareRuns))
  withExamples(
    compare,
    'runs compare loss --flow fit',
    'runs compare accuracy --group 01a2… --x loss',
    'runs compare loss --group 01a2… --by params.lr --min',
    'runs compare loss --flow fit --by lr,depth --metric results.f1 --max',
  )
  const exported = clientOptions(runs.command('export'))
    .description('runs as a table, or all points of their curves')
    .addOption(new Option('--format <format>', 'csv unless given').choices(['csv', 'jsonl']))
    .option('--points', 'the points of the curves, one line each')
    .option('--flow <name>', 'runs of this flow')
    .option('--group <id>', 'the runs of a sweep')
    .option('--status <status>', 'runs of this status; several separated by commas')
    .option('--since <time>', 'created since then: 10m, 2h, 3d ago, or a date', time)
    .option('--until <time>', 'created until then', time)
    .option('--params <names>', 'only these parameters, separated by commas')
    .option('--metrics <names>', 'only these metrics and outputs, separated by commas')
    .option('-o, --output <file>', 'write a file instead of standard output')
    .option('--force', 'replace the file if it exists')
    .action(lazily(async () => (await data()).exportRuns))
  withExamples(exported, 'runs export --flow fit -o fit.csv', 'runs export --flow fit --points --format jsonl')
  const report = grouping(
    clientOptions(runs.command('report').argument('[id...]', 'runs', runIds))
      .description('write a page with the curves, nodes and results of runs; it needs no network')
      .option('--flow <name>', 'the newest runs of this flow, at most 100')
      .option('--group <id>', 'the runs of a sweep'),
  )
    .option('--metric <name>', 'what the best group is told by: a message, or results.<output>')
    .option('-o, --output <file>', 'where to write it (report.html)')
    .option('--force', 'replace the file if it exists')
    .action(lazily(async () => (await import('../commands/report.ts')).report))
  withExamples(
    report,
    'runs report --flow fit -o fit.html',
    'runs report --group 01a2… --by params.lr --metric loss --min -o seeds.html',
  )
}

function addChanging(runs: Command): void {
  const of = (name: string): Command => clientOptions(runs.command(name).argument('<id...>', 'ids of runs', runIds))
  const cancel = of('cancel')
    .description('end queued and running runs; a finished one stays as it is')
    .action(lazily(async () => (await data()).cancelRuns))
  withExamples(cancel, 'runs cancel 01a2b3c4-0000-7000-8000-000000000000')
  const retry = of('retry')
    .description('queue finished runs once more, with the same values')
    .action(lazily(async () => (await data()).retryRuns))
  withExamples(retry, 'runs retry 01a2b3c4-0000-7000-8000-000000000000')
  const edit = of('edit')
    .description('change the note of a run, or the tags, pin or archiving of many: all of them or none')
    .option('--note <text>', 'what is written about the run')
    .option('--tag <word>', 'add a tag; may be repeated', collect)
    .option('--untag <word>', 'take a tag away; may be repeated', collect)
    .option('--pin', 'pin them')
    .option('--no-pin', 'take the pin away')
    .option('--archive', 'leave them out of lists')
    .option('--no-archive', 'list them again')
    .action(lazily(async () => (await import('../commands/runs.ts')).editRuns))
  withExamples(edit, 'runs edit 01a2b3c4-0000-7000-8000-000000000000 --tag baseline --pin')
  const deletion = of('delete')
    .description('delete finished runs with their curves and logs')
    .action(lazily(async () => (await data()).deleteRuns))
  withExamples(deletion, 'runs delete 01a2b3c4-0000-7000-8000-000000000000')
  const imported = clientOptions(runs.command('import').argument('<file>', 'JSON or JSON lines; - is standard input'))
    .description('take in runs that ended elsewhere; a known external_id is not imported again')
    .action(lazily(async () => (await data()).importRuns))
  withExamples(imported, 'runs import old-runs.jsonl')
}
