import { CommandFailure, isRefusal } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, printAnswer } from '../terminal.ts'

/** `service workers flavors list`. */
export async function listFlavors(flags: ClientFlags): Promise<void> {
  const flavors = await connect(flags).flavors.list()
  const rows = flavors.map(({ name, cpus, gpus, ram_mb, description }) => [
    name,
    String(cpus),
    String(gpus),
    String(ram_mb),
    oneLine(description, 60),
  ])
  printAnswer(flavors, flags.json, () => table(['FLAVOR', 'CPUS', 'GPUS', 'MB', ''], rows, 'There are no flavors yet.'))
}

interface SetFlags extends ClientFlags {
  readonly cpus?: number
  readonly gpus?: number
  readonly ramMb?: number
  readonly description?: string
}

/** `service workers flavors set <name>`: changes one, or creates it where there is none. */
export async function setFlavor(name: string, flags: SetFlags): Promise<void> {
  const { cpus, gpus, ramMb, description } = flags
  const change = {
    ...(cpus === undefined ? {} : { cpus }),
    ...(gpus === undefined ? {} : { gpus }),
    ...(ramMb === undefined ? {} : { ramMb }),
    ...(description === undefined ? {} : { description }),
  }
  if (Object.keys(change).length === 0) {
    throw new CommandFailure(2, 'nothing is given to set; name --cpus, --gpus, --ram-mb or --description')
  }
  const { flavors } = connect(flags)
  const flavor = await flavors.update(name, { ...change }).catch((error: unknown) => {
    if (!isRefusal(error) || error.status !== 404) throw error
    return flavors.create({ name, cpus: 0, gpus: 0, ramMb: 0, ...change })
  })
  printAnswer(
    flavor,
    flags.json,
    () => `${bold(flavor.name)}: ${flavor.cpus} CPUs, ${flavor.gpus} GPUs, ${flavor.ram_mb} MB a call.`,
  )
}

/** `service workers flavors delete <name>`. */
export async function deleteFlavor(name: string, flags: ClientFlags): Promise<void> {
  await connect(flags).flavors.delete(name)
  printAnswer({ name }, flags.json, () => `Deleted ${bold(name)}.`)
}
