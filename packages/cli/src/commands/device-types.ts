import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { deviceTypes, reportedDevices, TYPES_HEADER } from '../device-types.ts'
import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { bold, counted, printAnswer } from '../terminal.ts'

interface DeviceTypesFlags extends ClientFlags {
  readonly out?: string
  readonly check?: boolean
}

/** `service devices types`. */
export async function writeDeviceTypes({ out, check, ...flags }: DeviceTypesFlags): Promise<void> {
  const file = out ?? join(flowsFolder(), 'flow-devices.d.ts')
  const devices = reportedDevices(await connect(flags).devices.list())
  const text = deviceTypes(devices)
  const former = existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : null
  const isStale = former !== text
  if (check && isStale) {
    const what = former === null ? 'does not exist' : 'is not what the devices report now'
    throw new CommandFailure(1, `"${file}" ${what}\n  write it: service devices types --out ${file}`)
  }
  if (former !== null && !former.startsWith(TYPES_HEADER)) {
    throw new CommandFailure(1, `"${file}" was not written by this command: give another file with --out, or remove it`)
  }
  if (isStale) writeFileSync(file, text)
  const names = devices.map(({ id, ports }) => `${id} (${counted(ports.length, 'port')})`)
  const reported = names.length === 0 ? 'no device has reported ports' : names.join(', ')
  const answer = { file, changed: isStale, devices: devices.map(({ id }) => id) }
  printAnswer(answer, flags.json, () => `${isStale ? 'Wrote' : 'Unchanged:'} ${bold(file)}: ${reported}.`)
}

/** Where flows are, as far as can be told from here. */
const flowsFolder = (): string => process.env.SERVICE_FLOWS ?? (existsSync('flows') ? 'flows' : '.')
