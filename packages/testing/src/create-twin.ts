/**
 * Makes the twin of a device: pairs it, connects it, and reports its ports.
 * @module
 */
import type { Clock } from '@flow-service/core'

import { DeviceTwin, type TwinIo } from './device-twin.ts'
import type { Duration } from './duration.ts'
import { pairTwin } from './twin-pairing.ts'

/** A device that is to be. */
export interface TwinOptions<Io extends TwinIo> {
  /** Base URL of the API. */
  readonly url: string
  /** Of a person who may adopt devices. */
  readonly token: string
  /** Of the device. One that is there already is paired anew. */
  readonly id: string
  /** Reported, so that issues and `service devices types` know the ports. */
  readonly io: Io
  /** What the board says of itself while it is paired. */
  readonly name?: string
  readonly board?: string
  readonly firmware?: string
  /** What it reports beside its ports. */
  readonly report?: Readonly<Record<string, unknown>>
  /** How long it is waited for what is to come, unless a call says so; 4 s unless given. */
  readonly patience?: Duration
  /** The clock of `play`; that of the machine unless given. */
  readonly clock?: Pick<Clock, 'setTimer'>
  /** Go with each request, such as those of a proxy. */
  readonly headers?: Readonly<Record<string, string>>
}

type PortsOf<Io extends TwinIo, D extends 'in' | 'out'> = keyof NonNullable<Io[D]> & string

/**
 * Creates a device, pairs it, reports its ports and connects it. Rejects with an Error that has the request which was refused.
 * @example
 * const panel = await createTwin({ url, token, id: 'hall-panel', io: { in: { motion: 'bool' }, out: { relay1: 'bool' } } })
 * await panel.say({ motion: true })
 * await panel.told('relay1', true)
 */
export async function createTwin<const Io extends TwinIo>(
  options: TwinOptions<Io>,
): Promise<DeviceTwin<PortsOf<Io, 'in'>, PortsOf<Io, 'out'>>> {
  const { token, id, io, name, board, firmware, report, patience = 4, clock = machineClock, headers = {} } = options
  const url = apiOf(options.url)
  const said = { ...(name && { name }), ...(board && { board }), ...(firmware && { firmware }) }
  const credential = await pairTwin({ url, token, headers, id, board: said })
  const twin = new DeviceTwin<PortsOf<Io, 'in'>, PortsOf<Io, 'out'>>({
    id,
    url,
    credential,
    io,
    patience,
    clock,
    headers,
  })
  try {
    await twin.online()
    await twin.device.report({ ...report, io: portsOf(io) })
    return twin
  } catch (error) {
    await twin.leave()
    throw error
  }
}

const machineClock: Pick<Clock, 'setTimer'> = {
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Without a slash at its end; a URL without a path gets that of the API. Throws a TypeError for a text that is no URL. */
function apiOf(given: string): string {
  const url = URL.parse(given)
  if (url === null)
    throw new TypeError(`url is "${given}"; give that of the engine, for example "http://127.0.0.1:8000"`)
  const { origin, pathname } = url
  return `${origin}${pathname === '/' ? '/api/v1' : pathname.replace(/\/$/, '')}`
}

const portsOf = (io: TwinIo): object[] =>
  (['in', 'out'] as const).flatMap((direction) =>
    Object.entries(io[direction] ?? {}).map(([name, dtype]) => ({ name, direction, dtype })),
  )
