/**
 * Templates: lines of the corpus with slots. In the text `(a|b)` is one of these; `{area}` is a slot of `slots.ts`. In the
 * column of calls a place may also be
 *
 * - `*`, `indoors`, `outdoors`: every such device of the house there, without those behind ` -AREA`;
 * - `.`: no area was said, the first rule of the guide tells which;
 * - `AREA?`: only if the house has it.
 *
 * The context `-` stands for any: what the generator draws for it makes no difference to the calls, or to how they are said.
 * @module
 */
import { type CommandArea, commandAreas, type CommandCall, commandCalls, indoorAreas } from '@flow-service/protocol'

import { type HouseName, houses } from './context.ts'
import type { Random } from './random.ts'
import { type Filling, type SlotName, slots } from './slots.ts'

/** A template, its columns as they stand in its file. */
export interface Template {
  readonly text: string
  readonly context: string
  readonly calls: string
  readonly tag: string
}

/** The template of a line. */
export function templateOf(line: string): Template {
  const [text, context, calls, tag, ...more] = line.split('\t')
  if (!text || !context || !calls || !tag || more.length > 0) throw new Error(`"${line}" has not four columns`)
  return { text, context, calls, tag }
}

const SLOT = /\{([a-z]+)(\d*)\}/g
const isPlace = (word: string): word is CommandArea => commandAreas.some((area) => area === word)

/** Draws what stands in the slots of a template: no place twice, and slots of one name differently. */
export function fillingsOf(template: Template, random: Random): ReadonlyMap<string, Filling> {
  const found = new Map<string, Filling>()
  const taken = new Set<string>()
  for (const [slot, name = ''] of `${template.text} ${template.context} ${template.calls}`.matchAll(SLOT)) {
    if (found.has(slot)) continue
    const all: readonly Filling[] | undefined = slots[name as SlotName]
    if (all === undefined) throw new Error(`there is no slot ${slot}`)
    const filling = random.pick(
      all.filter(([, written]) => !taken.has(isPlace(written) ? written : `${name} ${written}`)),
    )
    const [, written] = filling
    if (written !== '') taken.add(isPlace(written) ? written : `${name} ${written}`)
    found.set(slot, filling)
  }
  return found
}

/** A text with its alternatives drawn; its slots stay. */
export const withChoices = (text: string, random: Random): string =>
  text.replaceAll(/\(([^()]*)\)/g, (_, choices: string) => random.pick(choices.split('|')))

/** A column with what stands in its slots, as the files of the corpus write it. */
export const written = (column: string, fillings: ReadonlyMap<string, Filling>): string =>
  column.replaceAll(SLOT, (slot) => fillings.get(slot)?.[1] ?? '')

/** The column `calls` of a sentence in a context; null when there would be none to do. */
export function callsIn(context: string, column: string): string | null {
  if (column === 'none') return column
  const found = column.split('; ').map((part) => devicesOf(part, context))
  const calls = found.flatMap(({ calls: own }) => own)
  const doubtful = found.some(({ doubtful: own }) => own)
  return calls.length === 0
    ? null
    : calls.map((call) => (doubtful && !call.startsWith('~') ? `~${call}` : call)).join('; ')
}

const PART = /^(~?)(\w+) (\S+)((?: -\w+)*)(.*)$/

/** The calls of a part. A garage door that is among covers is doubtful by itself: nobody has named it. */
function devicesOf(part: string, context: string): { calls: string[]; doubtful: boolean } {
  const [, mark, call = '', place = '', without = '', rest = ''] = PART.exec(part) ?? []
  const house = (/house=(\w+)/.exec(context)?.[1] ?? 'full') as HouseName
  const own: readonly CommandArea[] = houses[house][commandCalls[call as CommandCall]]
  const presence = own.find((area) => context.split(' ').includes(`presence=${area}`))
  const indoors: readonly CommandArea[] = indoorAreas
  const places: Readonly<Record<string, readonly CommandArea[]>> = {
    '*': own,
    indoors: own.filter((area) => indoors.includes(area)),
    outdoors: own.filter((area) => !indoors.includes(area)),
    '.': presence ? [presence] : own,
  }
  const areas = places[place] ?? (place.endsWith('?') ? own.filter((area) => `${area}?` === place) : [place])
  const left = areas.filter((area) => !without.split(' -').includes(area))
  return {
    calls: left.map(
      (area) =>
        `${place !== area && call.startsWith('shutters') && area === 'garage' ? '~' : ''}${call} ${area}${rest}`,
    ),
    doubtful: mark === '~' || (place === '.' && areas.length > 1),
  }
}
