/**
 * The grammar of `service-worker`, which is that of `service worker` too. What it does is loaded when it is used.
 * @module
 */
import { type Command, InvalidArgumentError } from 'commander'

import type { WorkerFlags } from './remote/start.ts'

/** Gives a command the options and the help of a worker. `words` are what a person types to get there. */
export function defineWorker(command: Command, words: string): Command {
  return command
    .description('run the node code of an engine on this machine: dial out to it, and serve its calls')
    .requiredOption('--url <address>', 'where to attach; ends in /workers/attach')
    .option('--token <token>', "the worker's credential (SERVICE_WORKER_TOKEN, which keeps it from lists of processes)")
    .option('--name <name>', "a suggestion, for the engine goes by the token's (the host's name)")
    .option('--labels <list>', 'comma-separated; those that the token has (the labels of the token)', list)
    .option('--python <program>', 'interpreter for node code, 3.11 or newer (SERVICE_PYTHON, or the newest found)')
    .option('--parallel <number>', 'calls at a time', whole(1), 1)
    .option('--artifact-url <address>', 'where artifacts are, if not beside --url: ends in /artifacts')
    .option('--cpus <number>', 'CPUs to offer (detected)', above0)
    .option('--gpus <number>', 'GPUs to offer, 0 for none (SERVICE_WORKER_GPUS, or detected)', whole(0))
    .option('--ram-mb <number>', 'memory to offer in MB (detected)', whole(1))
    .option('--max-idle <seconds>', 'end after so many seconds without a call; 0 is never', seconds, 0)
    .option('--single', 'serve the engine of --url alone, and not the others of its database', false)
    .option('--insecure', 'allow ws:// and http:// to other machines: who listens on the way gets the token', false)
    .addHelpText('after', helpAfter(words))
    .action(async (flags: WorkerFlags) => {
      const { start } = await import('./remote/start.ts')
      process.exit(await start(flags))
    })
}

const helpAfter = (words: string): string => `
A superuser of the engine makes the token. It is read from SERVICE_WORKER_TOKEN: one given by --token stays in the history
of the shell, and in the list of processes until the worker has started. Node code sees neither.

Artifacts are kept in SERVICE_ARTIFACT_CACHE (service-artifacts in the temporary directory), at most
SERVICE_ARTIFACT_CACHE_BYTES of them (1073741824).

Exit codes: 0 stopped or idle, 1 it failed, 2 wrong usage, or no Python where --python names it, 3 the engine refuses the
worker's protocol or labels, 4 the engine does not take the token. A link that is lost is opened again.

Examples:
  ${words} --url wss://flows.example.com/api/v1/workers/attach
  ${words} --url ws://127.0.0.1:8000/api/v1/workers/attach --parallel 4 --gpus 0 --max-idle 600`

const list = (text: string): string[] =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')

const whole =
  (least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value
    throw new InvalidArgumentError(`Give a whole number from ${least}.`)
  }

const above0 = (text: string): number => {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('Give a number above 0.')
}

const seconds = (text: string): number => {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new InvalidArgumentError('Give a number of seconds, 0 for never.')
}
