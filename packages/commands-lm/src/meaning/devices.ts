/**
 * Which devices somebody means, in this house and from where they are.
 * @module
 */
import { indoorAreas, type CommandArea, type CommandContext, type CommandKind } from '@flow-service/protocol'

import { isSomewhere, type Part, type Where } from '../parse/parts.ts'

/** The areas that are meant, or why none is. */
export interface Areas {
  readonly areas: readonly CommandArea[]
  readonly doubts: readonly string[]
  readonly refusal: string | null
}

const indoor: ReadonlySet<CommandArea> = new Set(indoorAreas)

/** Areas where the house has a device of a kind. */
const areasWith = (kind: CommandKind, context: CommandContext): CommandArea[] => [
  ...new Set(context.devices.filter((device) => device.kind === kind).map((device) => device.area)),
]

/** Whether the house has this device. */
export const has = (area: CommandArea, kind: CommandKind, context: CommandContext): boolean =>
  context.devices.some((device) => device.area === area && device.kind === kind)

/** Whether an area is inside the house. */
const isIndoor = (area: CommandArea): boolean => indoor.has(area)

const none = (refusal: string): Areas => ({ areas: [], doubts: [], refusal })

/** The areas of a group in which the house has a device of this kind. */
export function groupAreas(where: Where, kind: CommandKind, context: CommandContext): CommandArea[] {
  const all = areasWith(kind, context)
  const { groups } = where
  if (groups.includes('all') && groups.length === 1) return all
  if (groups.includes('in') && groups.includes('out')) return all
  return all.filter((area) =>
    groups.includes('in') ? isIndoor(area) : groups.includes('out') ? !isIndoor(area) : true,
  )
}

/** The doubt about things of which nobody said where they are. */
export const UNSAID = 'which area was not said: all of them'

function unsaid(kind: CommandKind, all: boolean, context: CommandContext): Areas {
  const everywhere = areasWith(kind, context)
  if (all)
    return everywhere.length > 0 ? { areas: everywhere, doubts: [], refusal: null } : none(`no ${kind} in this house`)
  if (context.presence !== null && has(context.presence, kind, context))
    return { areas: [context.presence], doubts: [], refusal: null }
  if (everywhere.length === 1) return { areas: everywhere, doubts: [], refusal: null }
  return everywhere.length === 0
    ? none(`no ${kind} in this house`)
    : { areas: everywhere, doubts: [UNSAID], refusal: null }
}

/** The areas of things of a kind at a place. */
export function areasOf(where: Where, kind: CommandKind, all: boolean, context: CommandContext): Areas {
  if (!isSomewhere(where)) return unsaid(kind, all, context)
  const areas = [...where.areas]
  const doubts = where.elsewhere ? ['one of the places is not known here'] : []
  if (where.here) {
    if (context.presence === null) return none('"here" is not known while the speaker is away')
    if (!areas.includes(context.presence)) areas.push(context.presence)
  }
  if (where.groups.length > 0)
    for (const area of groupAreas(where, kind, context)) if (!areas.includes(area)) areas.push(area)
  if (areas.length === 0) return none(where.elsewhere ? 'a place that is not known here' : `no ${kind} there`)
  return { areas, doubts, refusal: null }
}

/** The areas that are left when some are excepted. */
export function without(found: Areas, out: readonly Part[], kind: CommandKind, context: CommandContext): Areas {
  let { areas } = found
  const doubts = [...found.doubts]
  for (const part of out) {
    if (part.kind !== null && part.kind !== kind) continue
    const except = new Set<CommandArea>(part.where.areas)
    const here = part.where.here || (part.pointer !== null && !isSomewhere(part.where))
    if (here && context.presence === null) doubts.push('where the speaker is, is not known')
    else if (here && context.presence !== null) except.add(context.presence)
    for (const area of part.where.groups.length > 0 ? groupAreas(part.where, kind, context) : []) except.add(area)
    if (part.kind === kind && !isSomewhere(part.where)) for (const area of areas) except.add(area)
    if (part.where.elsewhere) doubts.push('an excepted place is not known here')
    areas = areas.filter((area) => !except.has(area))
  }
  return {
    areas,
    doubts,
    refusal: areas.length === 0 && found.refusal === null ? 'all of it is excepted' : found.refusal,
  }
}

const onValues: Readonly<Record<CommandKind, readonly string[]>> = {
  light: ['on'],
  heating: ['boost', 'on'],
  media: ['play', 'on', 'playing'],
  cover: ['up', 'open'],
  water: ['on', 'start'],
}

/** Whether a device is on, playing, open or running; null while nobody knows. */
export function isOn(area: CommandArea, kind: CommandKind, context: CommandContext): boolean | null {
  const device = context.devices.find((one) => one.area === area && one.kind === kind)
  const value = device?.value
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return kind === 'heating' ? null : value > 0
  return typeof value === 'string' ? onValues[kind].includes(value) : null
}
