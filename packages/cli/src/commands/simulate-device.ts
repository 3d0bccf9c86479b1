import { createInterface, emitKeypressEvents } from 'node:readline'

import { connect, type Device, type DeviceStatus, pair, type PairedDevice } from '@flow-service/device-sdk'

import { credentialFile, forgetCredential, keepCredential, readCredential } from '../device-credential.ts'
import { CommandFailure } from '../failure.ts'
import { largeText } from '../large-text.ts'
import { Painting } from '../painting.ts'
import { apiBase } from '../session.ts'
import { reportOf, type SimulatedBoard, simulatedBoards } from '../simulated-board.ts'
import { SimulatedDevice } from '../simulated-device.ts'
import { SimulatedPanel } from '../simulated-panel.ts'
import { bold } from '../terminal.ts'

interface SimulateFlags {
  readonly url?: string
  readonly name?: string
  readonly board: keyof typeof simulatedBoards
  readonly forget?: boolean
}

const PICTURE_EVERY_MS = 1000
const PAINT_EVERY_MS = 100
/** After which it is told that an engine does not answer. */
const SILENCE_MS = 3000

/** `service device simulate`: until Ctrl-C, which is how it is meant to end. */
export async function simulateDevice(flags: SimulateFlags): Promise<void> {
  const url = engineUrl(flags.url)
  const board: SimulatedBoard = simulatedBoards[flags.board]
  const name = flags.name ?? board.name
  const file = credentialFile({ url, board: board.board, name })
  if (flags.forget) forgetCredential(file)
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  try {
    while (!stop.signal.aborted) {
      const kept = readCredential(file) ?? (await pairAs(url, board, name, stop.signal))
      keepCredential(file, kept)
      await simulate(kept, { board, name, stop: stop.signal })
      if (stop.signal.aborted) return
      console.log(`The credential of ${bold(kept.id)} is void: it was unpaired, or paired with another board.`)
      forgetCredential(file)
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
  }
}

function engineUrl(given: string | undefined): string {
  const url = given ?? apiBase({})
  if (url === '') {
    throw new CommandFailure(3, 'no engine is known here; give --url http://hub:8000, or start one with "service dev"')
  }
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url
  throw new CommandFailure(2, `"${url}" is no address of an engine; write it like http://hub:8000`)
}

async function pairAs(
  url: string,
  { board }: SimulatedBoard,
  name: string,
  signal: AbortSignal,
): Promise<PairedDevice> {
  console.log(`${bold(name)} asks ${url} to be adopted.`)
  const silence = setTimeout(() => console.log(`${url} does not answer; it is asked until it does.`), SILENCE_MS)
  const onCode = (code: string, check: string): void => {
    clearTimeout(silence)
    showCode(code, check)
  }
  try {
    const paired = await pair({ url, name, board, firmware: 'simulated', signal, onCode })
    console.log(`Adopted as ${bold(paired.id)}.`)
    return paired
  } finally {
    clearTimeout(silence)
  }
}

function showCode(code: string, check: string): void {
  const isSeen = process.stdout.isTTY
  console.log(
    isSeen ? `\n${largeText(code)}\n\n  check ${check}\n\n${largeText(check)}\n` : `code ${code}, check ${check}`,
  )
  console.log(`Adopt it within ten minutes: service devices pair ${code}`)
}

interface Simulating {
  readonly board: SimulatedBoard
  readonly name: string
  readonly stop: AbortSignal
}

/** Resolves when it is stopped, or the credential is void; fails when another program is the same device. */
async function simulate(paired: PairedDevice, { board, name, stop }: Simulating): Promise<void> {
  using device = connect(paired)
  const over = Promise.withResolvers<void>()
  device.onStatus((status) => settle(status, over))
  stop.addEventListener('abort', () => device.close(), { once: true })
  const isSeen = process.stdin.isTTY && process.stdout.isTTY
  const simulated = new SimulatedDevice(device, board, isSeen ? () => {} : (line) => console.log(line))
  void device.report(reportOf(board, name)).catch(over.reject)
  const pictures = setInterval(() => simulated.look(), PICTURE_EVERY_MS)
  const end = isSeen ? showPanel(new SimulatedPanel(`${name} (${paired.id})`, simulated), device) : readLines(simulated)
  try {
    await over.promise
  } finally {
    clearInterval(pictures)
    end()
  }
}

function settle(status: DeviceStatus, over: PromiseWithResolvers<void>): void {
  if (status.state !== 'ended') return
  if (status.reason !== 'replaced') over.resolve()
  else
    over.reject(new CommandFailure(1, 'another simulation has taken over: this device runs twice; give one a --name'))
}

/** Paints the panel and takes keys until it is ended. */
function showPanel(panel: SimulatedPanel, device: Device): () => void {
  const { stdin, stdout } = process
  const painting = new Painting(stdout)
  let painted = ''
  const paint = (): void => {
    const lines = panel.lines()
    if (lines.join('\n') !== painted) painting.paint(lines)
    painted = lines.join('\n')
  }
  const press = (_text: string | undefined, key: { readonly name?: string; readonly ctrl?: boolean }): void => {
    if (key.ctrl === true && key.name === 'c') process.emit('SIGINT')
    else panel.press(key.name ?? '')
    paint()
  }
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.on('keypress', press)
  stdin.resume()
  const repeated = setInterval(paint, PAINT_EVERY_MS)
  const unfollow = device.onStatus(paint)
  return () => {
    unfollow()
    clearInterval(repeated)
    paint()
    stdin.off('keypress', press)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** Takes `name=value` lines of the standard input until it is ended. */
function readLines(simulated: SimulatedDevice): () => void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => line.trim() !== '' && simulated.type(line))
  return () => lines.close()
}
