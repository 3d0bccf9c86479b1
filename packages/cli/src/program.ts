/**
 * The grammar of the command line: names, arguments, options and help. What they do lives in `commands/`.
 * @module
 */
import { Command, InvalidArgumentError, Option } from 'commander'

import { failed } from './failure.ts'
import { version } from './version.ts'

const port = (text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535; 0 takes any free one.')
  }
  return value
}

const integer = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number.')
  return value
}

const collect = (text: string, earlier: string[] = []): string[] => [...earlier, text]

const engineOptions = (command: Command): Command =>
  command
    .option('--host <address>', 'address to listen on (SERVICE_HOST, 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for any free one (SERVICE_PORT, 8000)', port)
    .option('--data <dir>', 'data directory (SERVICE_DATA_DIR, ./.service)')

const clientOptions = (command: Command): Command =>
  command
    .option('--url <base>', 'API of the engine, ends in /api/v1 (SERVICE_URL; found by the sign-in file)')
    .option('--token <token>', 'access token (SERVICE_TOKEN; found by the sign-in file)')
    .option('--json', 'print JSON for programs')

/** Runs a command's module; an expected failure becomes one line and an exit code. */
const lazily =
  <A extends unknown[]>(load: () => Promise<(...args: A) => Promise<void>>) =>
  async (...args: A): Promise<void> => {
    try {
      await (
        await load()
      )(...args)
    } catch (error) {
      process.exitCode = failed(error)
    }
  }

/** The whole grammar, ready to parse. */
export function program(): Command {
  const root = new Command('service')
    .description('Flow automation engine: live and batch flows on one graph model.')
    .version(version, '-V, --version')
    .showHelpAfterError('(see --help)')
    .exitOverride((exit) => process.exit(exit.exitCode === 0 ? 0 : 2))
    .addHelpText(
      'after',
      `
Examples:
  service dev flows/                     run the engine here, with the flows of a folder
  service run estimate_pi -p samples=1000 --seed 7 --watch
  service runs list --flow estimate_pi --json

Exit codes: 0 done, 1 it failed, 2 wrong usage, 3 no engine or no sign-in.`,
    )
  addEngine(root)
  addFlows(root)
  addRuns(root)
  return root
}

function addEngine(root: Command): void {
  engineOptions(root.command('dev').argument('[dir]', 'folder of flows written in TypeScript'))
    .description('run the engine for development: first user made, command line signed in')
    .option('--run <flow>', 'submit a run of this batch flow once the engine is up, and watch it')
    .action(lazily(async () => (await import('./commands/dev.ts')).dev))
  engineOptions(root.command('serve'))
    .description('run the engine')
    .option('--flows <dir>', 'folder of flows written in TypeScript (SERVICE_FLOWS)')
    .action(lazily(async () => (await import('./commands/serve.ts')).serve))
  root
    .command('login')
    .description('sign in to an engine; the token is kept in your configuration folder')
    .requiredOption('--url <base>', 'API of the engine, ends in /api/v1')
    .requiredOption('--email <address>', 'your user name')
    .addOption(new Option('--password-stdin', 'read the password from standard input instead of asking'))
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('./commands/login.ts')).login))
}

function addFlows(root: Command): void {
  const flows = root.command('flows').description('flows of the engine')
  clientOptions(flows.command('list'))
    .description('flows with their state')
    .action(lazily(async () => (await import('./commands/flows.ts')).listFlows))
}

function addRuns(root: Command): void {
  clientOptions(root.command('run').argument('<flow>', 'name of a batch flow'))
    .description('submit a run')
    .option('-p, --param <name=value>', 'a parameter; the value is JSON, or text as it stands', collect)
    .option('--seed <number>', 'seed of the run', integer)
    .option('--draft', 'run the draft instead of the published version')
    .option('--no-cache', 'execute every stage again')
    .option('--watch', 'follow the run; exit code 1 unless it ends ok')
    .action(lazily(async () => (await import('./commands/run.ts')).run))
  const runs = root.command('runs').description('runs of batch flows')
  clientOptions(runs.command('list'))
    .description('runs, newest first')
    .option('--flow <name>', 'runs of this flow; several separated by commas')
    .option('--status <status>', 'queued, running, ok, error, cancelled, abandoned; several separated by commas')
    .option('--limit <number>', 'at most so many, 1 to 500 (50)', integer)
    .action(lazily(async () => (await import('./commands/runs.ts')).listRuns))
  clientOptions(runs.command('show').argument('<id>', 'id of a run'))
    .description('one run with its nodes, metrics and result')
    .action(lazily(async () => (await import('./commands/runs.ts')).showRun))
}
