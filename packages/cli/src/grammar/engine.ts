import { type Command, InvalidArgumentError, Option } from 'commander'

import { byDefault, clientOptions, collect, engineOptions, lazily, withExamples } from './options.ts'

/** `init dev serve login`. */
export function addEngine(root: Command): void {
  const init = root
    .command('init')
    .argument('[dir]', 'folder to make, or an empty one; this one unless given')
    .description('make a project with flows: a live one, a batch one, and tests of both')
    .option('--name <name>', 'name of its npm package; that of the folder unless given')
    .option('--install', 'install its packages too')
    .option('--git', 'begin a git repository in it too')
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('../commands/init.ts')).init))
  withExamples(init, 'init my-app', 'init --name @me/flows', 'init my-app --install --git')
  const dev = engineOptions(root.command('dev').argument('[dir]', 'folder of flows written in TypeScript'))
    .description('run the engine for development: first user made, command line signed in, changed sources swapped in')
    .option(
      '--connector <dir>',
      'folder of a connector package that is worked on: its sources are swapped in as well (several times)',
      collect,
    )
    .option('--check', 'check types first, by the TypeScript of the project: what has type errors is not swapped in')
    .option(
      '--inspect [port]',
      'open debuggers for nodes in TypeScript and Python on 127.0.0.1, from this port on (9229), and take their timeouts away',
      inspectPort,
    )
    .option('--inspect-wait', 'with --inspect: code waits until a debugger is attached, which stages of runs need')
    .option('--run <flow>', 'submit a run of this batch flow once the engine is up, and watch it')
    .option('--no-open', 'do not open the console in a browser')
    .action(lazily(async () => (await import('../commands/dev.ts')).dev))
  withExamples(
    dev,
    'dev flows/',
    'dev flows/ --check',
    'dev flows/ --inspect',
    'dev flows/ --inspect=9300 --inspect-wait --run estimate_pi',
    'dev flows/ --port 0 --run estimate_pi',
    'dev flows/ --connector ../acme-meter',
  )
  const serve = engineOptions(root.command('serve'))
    .description('run the engine')
    .option('--flows <dir>', 'folder of flows written in TypeScript (SERVICE_FLOWS)')
    .action(lazily(async () => (await import('../commands/serve.ts')).serve))
  withExamples(serve, 'serve --host 0.0.0.0 --data /var/lib/flows')
  const login = root
    .command('login')
    .description('sign in to an engine; the token is kept in your configuration folder')
    .requiredOption('--url <base>', 'API of the engine, ends in /api/v1')
    .option('--email <address>', 'your user name')
    .addOption(new Option('--password-stdin', 'read the password from standard input instead of asking'))
    .addOption(
      new Option('--oidc', 'sign in by OpenID Connect, in a browser of this machine').conflicts([
        'email',
        'passwordStdin',
      ]),
    )
    .option('--no-browser', 'with --oidc: print the address, and open no browser')
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('../commands/login.ts')).login))
  withExamples(
    login,
    'login --url https://flows.example.com/api/v1 --email ann@example.com',
    'login --url https://flows.example.com/api/v1 --oidc',
  )
}

/** `engines`. */
export function addEngines(root: Command): void {
  const engines = root.command('engines').description('the engines that share a PostgreSQL server')
  const list = clientOptions(byDefault(engines, 'list'))
    .description('engines that live, with their live flows, leases and links; also without "list"')
    .action(lazily(async () => (await import('../commands/engines.ts')).listEngines))
  list.addHelpText('after', AFTER_ENGINES)
  withExamples(list, 'engines list', 'engines list --json')
  withExamples(engines, 'engines', 'engines --url https://flows.example.com/api/v1')
}

const AFTER_ENGINES = `
LEASE  how long the engine counts as living without being heard of; its live flows go to others then
LINK   how the engine that is asked reaches the other one: up with the time there and back, down, or none so far
A live flow runs nowhere for a moment while it changes hands. One that stays nowhere does not start, or no engine has its code.`

/** `signing-keys …`. */
export function addSigningKeys(root: Command): void {
  const keys = root
    .command('signing-keys')
    .description('keys by which the engines of a PostgreSQL server sign sessions and tokens')
  const forget = keys
    .command('forget')
    .description(
      'let the engines of SERVICE_DATABASE_URL have another session key and signing key; all of them are stopped',
    )
    .action(lazily(async () => (await import('../commands/signing-keys.ts')).forgetKeys))
  withExamples(forget, 'signing-keys forget')
}

function inspectPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Give a port, such as --inspect=9229; a folder goes before the option.')
}
