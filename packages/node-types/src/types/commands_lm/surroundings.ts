/**
 * What a model knows beside the prompt: where the speaker is, how it is outside, and what the devices do.
 * @module
 */
import type { NodeContext, Values } from '@flow-service/connector-sdk'
import {
  type CommandArea,
  commandAreas,
  type CommandContext,
  type CommandDevice,
  specialFloats,
} from '@flow-service/protocol'

import { defaultDevices, idOf } from './device.ts'
import { type Target } from './ports.ts'

/** Degrees Celsius; colder and warmer ones count as these. */
const OUTDOOR = { min: -5, max: 30, initial: 20 } as const
/** Hours of the day in the engine's time zone. */
const NIGHT = { from: 18, until: 7 } as const

/** A reader of the surroundings of one node. An input without a usable value counts as absent. */
export function surroundingsOf(
  ctx: Pick<NodeContext, 'current' | 'now' | 'timeZone'>,
  targets: readonly Target[],
): (inputs: Values) => CommandContext {
  const hours = new Intl.DateTimeFormat('en', { timeZone: ctx.timeZone, hour: 'numeric', hourCycle: 'h23' })
  const isNight = (): boolean => {
    const hour = Number(hours.format(ctx.now()))
    return hour >= NIGHT.from || hour < NIGHT.until
  }
  return ({ presence, outdoor, dark }) => ({
    presence: areaOf(presence),
    outdoor: degreesOf(outdoor),
    dark: typeof dark === 'boolean' ? dark : isNight(),
    devices: devicesOf(ctx, targets),
  })
}

/** Null for away: whatever is no area. */
function areaOf(text: unknown): CommandArea | null {
  if (typeof text !== 'string') return null
  const name = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')
  return commandAreas.find((area) => area === name) ?? null
}

function degreesOf(value: unknown): number {
  const degrees = typeof value === 'number' || specialFloats.has(value) ? Number(value) : Number.NaN
  return Number.isNaN(degrees) ? OUTDOOR.initial : Math.min(OUTDOOR.max, Math.max(OUTDOOR.min, degrees))
}

/**
 * Those that are wired, in port order, then those that every house is supposed to have. Of several targets of a device the
 * first one that has a value tells what it does.
 */
function devicesOf(ctx: Pick<NodeContext, 'current'>, targets: readonly Target[]): CommandDevice[] {
  const devices = new Map<string, CommandDevice>()
  for (const { port, device } of targets) {
    const value = devices.get(idOf(device))?.value ?? ctx.current(port)
    devices.set(idOf(device), { ...device, value, wired: true })
  }
  for (const device of defaultDevices)
    if (!devices.has(idOf(device))) devices.set(idOf(device), { ...device, value: null, wired: false })
  return [...devices.values()]
}
