import { CommandFailure } from '../failure.ts'
import { ask, readAll } from '../hidden-input.ts'
import { type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'
import { bold, printAnswer, shortTime } from '../terminal.ts'

/** `service secrets list`. */
export async function listSecrets(flags: ClientFlags): Promise<void> {
  const secrets = await connect(flags).secrets.usage()
  const rows = secrets.map(({ name, updated_at, used_by, others }) => [
    name,
    shortTime(updated_at),
    [...used_by.map(({ flow, node }) => `${flow}.${node}`), ...others].join(', ') || '-',
  ])
  printAnswer(secrets, flags.json, () => table(['SECRET', 'CHANGED', 'USED BY'], rows, 'No secrets are stored.'))
}

/** `service secrets set <name>`: the value is typed unseen, or piped in. */
export async function setSecret(name: string, flags: ClientFlags): Promise<void> {
  const value = process.stdin.isTTY ? await ask(`Value of ${name}: `, 'pipe the value in') : await readAll()
  if (value === '') throw new CommandFailure(2, 'no value was given: type it, or pipe it in')
  await connect(flags).secrets.set(name, { value })
  printAnswer({ name }, flags.json, () => `Stored ${bold(name)}; active flows that use it were built anew.`)
}

/** `service secrets delete <name>`. */
export async function deleteSecret(name: string, flags: ClientFlags): Promise<void> {
  await connect(flags).secrets.delete(name)
  printAnswer({ name }, flags.json, () => `Deleted ${bold(name)}.`)
}
