import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'

import type { Client, Device, DeviceDetail, PairingPreview } from '@flow-service/client-sdk'

import { assertDeviceId, suggestedId } from '../device-id.ts'
import { nodeLine } from '../device-text.ts'
import { CommandFailure, isRefusal } from '../failure.ts'
import { largeText } from '../large-text.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, table } from '../table.ts'
import { bold, printAnswer, shortTime } from '../terminal.ts'

interface AdoptionFlags extends ClientFlags {
  readonly as?: string
  readonly name?: string
  readonly yes?: boolean
  readonly wait?: number
}

/** What waits, and how it is adopted. */
interface Candidate {
  readonly said: Pick<PairingPreview, 'name' | 'board' | 'firmware' | 'check'>
  readonly body: { readonly code: string } | { readonly request: string }
}

/** `service devices pair <code>`. */
export async function pairDevice(code: string, flags: AdoptionFlags): Promise<void> {
  if (flags.as !== undefined) assertDeviceId(flags.as)
  const client = connect(flags)
  const said = await client.pairing.inspect(code)
  await adopt(client, { said, body: { code } }, flags)
}

/** `service devices pending`. */
export async function listPending(flags: ClientFlags): Promise<void> {
  const waiting = await connect(flags).pairing.pending()
  const rows = waiting.map(({ id, check, name, board, same_network: isNear, created_at: since }) => [
    id,
    check,
    oneLine(name ?? '-', 40),
    oneLine(board ?? '-', 30),
    isNear ? 'this one' : 'another one, by its code alone',
    shortTime(since),
  ])
  printAnswer(waiting, flags.json, () =>
    table(['REQUEST', 'CHECK', 'NAME', 'BOARD', 'NETWORK', 'SINCE'], rows, 'No device waits to be adopted.'),
  )
}

/** `service devices approve <request>`. */
export async function approveDevice(request: string, flags: AdoptionFlags): Promise<void> {
  if (flags.as !== undefined) assertDeviceId(flags.as)
  const client = connect(flags)
  const said = (await client.pairing.pending()).find(({ id }) => id === request)
  if (!said) {
    throw new CommandFailure(
      1,
      `no device waits with the request "${oneLine(request)}"\n  see what there is: service devices pending`,
    )
  }
  await adopt(client, { said, body: { request } }, flags)
}

async function adopt(client: Client, { said, body }: Candidate, flags: AdoptionFlags): Promise<void> {
  const devices = await client.devices.list()
  const id =
    flags.as ?? suggestedId([flags.name ?? null, said.name, said.board], new Set(devices.map((known) => known.id)))
  const former = devices.find((known) => known.id === id)
  tellCandidate(said, id, former)
  if (flags.yes !== true && !(await confirmed(said.check))) {
    throw new CommandFailure(1, 'nothing was paired: a device that shows another check is not the one on this code')
  }
  await grant(client, { id, body, former, name: flags.name })
  const device = await untilOnline(client, id, (flags.wait ?? WAIT_SECONDS) * 1000)
  printAnswer(device, flags.json, () => nextStep(device))
}

function tellCandidate(
  { name, board, firmware, check }: Candidate['said'],
  id: string,
  former: Device | undefined,
): void {
  const facts = [board, firmware === null ? null : `firmware ${firmware}`].filter((fact) => fact !== null)
  const about = facts.length > 0 ? ` (${oneLine(facts.join(', '), 200)})` : ''
  console.error(`${bold(oneLine(name ?? 'a device without a name'))}${about} becomes ${bold(id)}.`)
  if (former?.paired) console.error(`${id} is paired already: the board that it has now loses its credential.`)
  console.error(process.stderr.isTTY ? `\n${largeText(check)}\n` : `check ${check}`)
}

/** Asks whether the device shows the check; Ctrl-C ends the process. */
async function confirmed(check: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure(
      2,
      `there is no terminal to ask on; compare the check ${check} with the device, and give --yes`,
    )
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  lines.once('SIGINT', () => process.exit(130))
  const answered = lines.question(`Does the device show ${bold(check)}? [y/N] `)
  // Ctrl-D is no
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const answer = await Promise.race([answered, ended])
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

interface Grant {
  readonly id: string
  readonly body: Candidate['body']
  readonly former: Device | undefined
  readonly name: string | undefined
}

/** Makes the device if there is none, and takes that back when pairing is refused. */
async function grant(client: Client, { id, body, former, name }: Grant): Promise<void> {
  if (!former) await client.devices.create(id, name === undefined ? {} : { name })
  try {
    await client.devices.pair(id, body)
  } catch (error) {
    if (!former && isRefusal(error)) await client.devices.delete(id)
    throw error
  }
  if (former && name !== undefined) await client.devices.save(id, { version: former.version, name })
}

/** How long a device is waited for; it polls every five seconds at least. */
const WAIT_SECONDS = 60
const LOOK_MS = 500
/** How long a device that is online may take to tell its ports. */
const REPORT_MS = 5000

/** Waits until the device has fetched its credential, connected, and told its ports; as it is then, or when time is over. */
async function untilOnline(client: Client, id: string, mostMs: number): Promise<DeviceDetail> {
  let until = performance.now() + mostMs
  let wasOnline = false
  if (mostMs > 0) console.error(`Paired. Waiting until ${id} is online …`)
  for (;;) {
    const device = await client.devices.get(id)
    if (device.online && device.reported_at !== null) return device
    if (device.online && !wasOnline) until = performance.now() + Math.min(mostMs, REPORT_MS)
    wasOnline = device.online
    if (performance.now() >= until) return device
    await pause(LOOK_MS)
  }
}

function nextStep(device: DeviceDetail): string {
  const { id, online } = device
  if (!online) {
    return `${bold(id)} is paired, and not online yet: it fetches its credential within ten minutes.\n  see how it is: service devices show ${id}`
  }
  return [
    `${bold(id)} is online. Place it in a flow:`,
    `  ${nodeLine(device)}`,
    'The compiler knows the ports of your devices after: service devices types',
  ].join('\n')
}
