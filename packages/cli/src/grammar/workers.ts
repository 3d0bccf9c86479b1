import { defineWorker } from '@flow-service/worker-agent/command'
import type { Command } from 'commander'

import { amount, byDefault, clientOptions, collect, integer, lazily, withExamples } from './options.ts'

/** `worker`: the same as the program `service-worker`, which `worker bundle` writes to a file. */
export function addWorker(root: Command): void {
  const worker = defineWorker(root.command('worker'), 'service worker')
  const bundle = worker
    .command('bundle')
    .description('write the worker to one file, for machines without npm; it needs Node 22.19 or newer there')
    .option('--out <file>', 'where to (service-worker.mjs; with --node, service-worker)')
    .option('--node [program]', 'put a Node into the file, which then needs none: this one, or that of a path')
    .option('--json', 'print JSON for programs')
    .action(lazily(async () => (await import('../commands/worker-bundle.ts')).writeWorkerBundle))
  bundle.addHelpText('after', AFTER_BUNDLE)
  withExamples(
    bundle,
    'worker bundle',
    'worker bundle --node --out ~/service-worker',
    'worker bundle --node ./node-arm64',
  )
  // it attaches nowhere
  worker.hook('preSubcommand', () => worker.options.forEach((option) => option.makeOptionMandatory(false)))
}

const AFTER_BUNDLE = `
The file takes the options of service-worker. It unpacks itself once into SERVICE_WORKER_FILES (service-worker-<user id> in the
temporary directory): half a MB, and with --node 130 MB more. With --node it needs a shell and gzip, and the system and the
processor that the Node is for.`

/** `workers …`: machines that execute node code, their tokens, and sizes of what calls take. */
export function addWorkers(root: Command): void {
  const workers = root.command('workers').description('machines that execute node code for the engine')
  const list = clientOptions(byDefault(workers, 'list'))
    .description('workers with what they have left; also without "list"')
    .action(lazily(async () => (await import('../commands/workers.ts')).listWorkers))
  withExamples(list, 'workers list', 'workers list --json')
  const show = clientOptions(workers.command('show').argument('<name>', 'name of a worker'))
    .description('one worker: what it has, what is free, its calls; --json is a list of its connections')
    .action(lazily(async () => (await import('../commands/workers.ts')).showWorker))
  withExamples(show, 'workers show lab-3')
  const pythons = clientOptions(workers.command('pythons'))
    .description('interpreters that flows ask for by "resources.python": of the engine, and of workers')
    .action(lazily(async () => (await import('../commands/workers.ts')).listPythons))
  withExamples(pythons, 'workers pythons', 'workers pythons --json')
  addTokens(workers)
  addFlavors(workers)
  withExamples(workers, 'workers', 'workers token create lab-3 --label gpu > lab-3.token', 'workers show lab-3')
}

function addTokens(workers: Command): void {
  const tokens = clientOptions(workers.command('tokens'))
    .description('tokens that workers attach with, never their texts')
    .action(lazily(async () => (await import('../commands/worker-tokens.ts')).listTokens))
  withExamples(tokens, 'workers tokens')
  const token = workers.command('token').description('make and revoke tokens of workers')
  const create = clientOptions(
    token.command('create').argument('<name>', 'name of the worker; no other live token has it'),
  )
    .description('make a token and print it, this once: standard output gets nothing else')
    .option('--label <label>', 'what nodes may ask for by "worker"; as often as needed', collect)
    .action(lazily(async () => (await import('../commands/worker-tokens.ts')).createToken))
  withExamples(create, 'workers token create lab-3 --label gpu --label west > lab-3.token')
  const revoke = clientOptions(token.command('revoke').argument('<token>', 'its id, or the name of its worker'))
    .description('revoke a token for good: its workers are disconnected, and their calls fail')
    .action(lazily(async () => (await import('../commands/worker-tokens.ts')).revokeToken))
  withExamples(revoke, 'workers token revoke lab-3')
}

function addFlavors(workers: Command): void {
  const flavors = workers.command('flavors').description('named sizes that flows ask for by "resources.flavor"')
  const list = clientOptions(byDefault(flavors, 'list'))
    .description('flavors with what a call takes; also without "list"')
    .action(lazily(async () => (await import('../commands/flavors.ts')).listFlavors))
  withExamples(list, 'workers flavors list')
  const set = clientOptions(flavors.command('set').argument('<name>', 'letters, digits, "_" and "-"'))
    .description('create a flavor, or change what is given of one; calls that have not started take the new numbers')
    .option('--cpus <number>', 'processors (0 for a new one)', amount)
    .option('--gpus <number>', 'GPUs (0 for a new one)', integer)
    .option('--ram-mb <number>', 'memory in MB (0 for a new one)', integer)
    .option('--description <text>', 'what it is for')
    .action(lazily(async () => (await import('../commands/flavors.ts')).setFlavor))
  withExamples(set, 'workers flavors set large --cpus 8 --gpus 1 --ram-mb 32000', 'workers flavors set large --cpus 16')
  const remove = clientOptions(flavors.command('delete').argument('<name>', 'a flavor that no flow asks for'))
    .description('delete a flavor')
    .action(lazily(async () => (await import('../commands/flavors.ts')).deleteFlavor))
  withExamples(remove, 'workers flavors delete large')
}
