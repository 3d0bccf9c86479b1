import type { Client, Device } from '@flow-service/client-sdk'

import { assertDeviceId } from '../device-id.ts'
import { describeDevice, presence } from '../device-text.ts'
import { isRefusal } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, printAnswer } from '../terminal.ts'

/** `service devices list`. */
export async function listDevices(flags: ClientFlags): Promise<void> {
  const client = connect(flags)
  const devices = await client.devices.list()
  const rows = flags.json ? [] : await Promise.all(devices.map((device) => rowOf(client, device)))
  printAnswer(devices, flags.json, () =>
    table(
      ['ID', 'NAME', 'ONLINE', 'BOARD', 'FIRMWARE', 'WIRED'],
      rows,
      'No devices. Adopt one by the code that it shows: service devices pair --help. Without a board: service device simulate',
    ),
  )
}

async function rowOf(client: Client, device: Device): Promise<string[]> {
  const { id, name, board, firmware } = device
  const wired = await client.devices.get(id).then(
    ({ bindings }) => String(new Set(bindings.map(({ port }) => port)).size),
    // somebody may delete it meanwhile
    (error: unknown) => {
      if (isRefusal(error) && error.status === 404) return '-'
      throw error
    },
  )
  return [id, oneLine(name, 40), presence(device), oneLine(board ?? '-', 30), oneLine(firmware ?? '-', 20), wired]
}

/** `service devices show <id>`. */
export async function showDevice(id: string, flags: ClientFlags): Promise<void> {
  assertDeviceId(id)
  const client = connect(flags)
  const device = await client.devices.get(id)
  const messages = flags.json ? [] : await client.messages.list()
  printAnswer(device, flags.json, () => describeDevice(device, messages))
}

interface AddFlags extends ClientFlags {
  readonly name?: string
}

/** `service devices add <id>`. */
export async function addDevice(id: string, { name, ...flags }: AddFlags): Promise<void> {
  assertDeviceId(id)
  const device = await connect(flags).devices.create(id, name === undefined ? {} : { name })
  printAnswer(
    device,
    flags.json,
    () => `Created ${bold(id)}. Pair a board with it: service devices pair <code> --as ${id}`,
  )
}

/** `service devices rename <id> <name>`. */
export async function renameDevice(id: string, name: string, flags: ClientFlags): Promise<void> {
  assertDeviceId(id)
  const client = connect(flags)
  const { version } = await client.devices.get(id)
  const device = await client.devices.save(id, { version, name })
  printAnswer(device, flags.json, () => `${bold(id)} is called "${oneLine(device.name)}".`)
}

/** `service devices unpair <id>`. */
export async function unpairDevice(id: string, flags: ClientFlags): Promise<void> {
  assertDeviceId(id)
  const device = await connect(flags).devices.unpair(id)
  printAnswer(
    device,
    flags.json,
    () => `${bold(id)} has no credential any more. Pair it again: service devices pair <code> --as ${id}`,
  )
}

/** `service devices delete <id>`. */
export async function deleteDevice(id: string, flags: ClientFlags): Promise<void> {
  assertDeviceId(id)
  await connect(flags).devices.delete(id)
  printAnswer({ id }, flags.json, () => `Deleted ${bold(id)}. Nodes that stand for it stay, without a device.`)
}
