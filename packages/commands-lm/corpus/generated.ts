/**
 * The sentences that are made of templates, the same each time.
 * @module
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'

import { commandAreas } from '@flow-service/protocol'

import { type HouseName, houses } from './context.ts'
import { inSomeHand, withSlip } from './noise.ts'
import { type Random, randomOf } from './random.ts'
import { HEADER, linesOf, sentenceOf, type Split, splits } from './sentence.ts'
import type { Filling } from './slots.ts'
import { callsIn, fillingsOf, type Template, templateOf, withChoices, written } from './template.ts'

/** Sentences that are made of a template, if it has as many: what is learned from asks for breadth, what measures for weight. */
const perTemplate: Readonly<Record<Split, number>> = { fit: 4, calibration: 12, 'held-out': 12 }
const root = import.meta.dirname

/** What the speaker's house is like, where that makes no difference. */
function anyContext(random: Random): string {
  if (random.happens(0.5)) return '-'
  const house: HouseName = random.pick(['full', 'full', 'full', 'flat', 'studio'])
  const parts = [
    random.happens(0.6) ? `presence=${random.pick(commandAreas)}` : '',
    random.happens(0.3) ? `outdoor=${random.pick([-3, 0, 5, 9, 16, 21, 27])}` : '',
    random.happens(0.4) ? 'dark=yes' : '',
    house === 'full' ? '' : `house=${house}`,
    random.happens(0.2) ? `on=${random.pick(houses[house].light)}.light` : '',
  ]
  return parts.filter((part) => part !== '').join(' ') || '-'
}

/** Slots with names of places and things, in which fingers slip. */
const SLIPPERY =
  /^\{(?:area|indoor|outdoor|covered|listened|watered|lights?|heating|media|music|screen|cover|water)\d*\}$/

/** The word for being in places that one is on. */
const IN_THE_OPEN = /\bin(?= (?:the )?(?:patio|terrace|driveway|drive|balcony)\b)/g

/** What is said: alternatives and slots, now and then without an article or with a slip of the finger. */
function said(
  { text }: Template,
  fillings: ReadonlyMap<string, Filling>,
  random: Random,
): [text: string, slip: boolean] {
  const chosen = withChoices(random.happens(0.07) ? text.replace('the {', '{') : text, random)
  const slippery = [...fillings.keys()].filter((slot) => SLIPPERY.test(slot))
  const slipping = slippery.length > 0 && random.happens(0.08) ? random.pick(slippery) : null
  const slipped = slipping === null ? null : withSlip(fillings.get(slipping)?.[0] ?? '', random)
  const filled = chosen.replaceAll(/\{[a-z]+\d*\}/g, (slot) =>
    slot === slipping && slipped !== null ? slipped : (fillings.get(slot)?.[0] ?? ''),
  )
  const placed = filled.replaceAll(IN_THE_OPEN, 'on').replaceAll(/ {2,}/g, ' ').trim()
  return [inSomeHand(placed, random), slipped !== null]
}

/** A line of a template; null when what was drawn leaves nothing to do. */
function lineOf(template: Template, random: Random): string | null {
  const fillings = fillingsOf(template, random)
  const context = template.context === '-' ? anyContext(random) : written(template.context, fillings)
  const calls = callsIn(context, written(template.calls, fillings))
  if (calls === null) return null
  const [text, slip] = said(template, fillings, random)
  return [text, context, calls, slip ? 'typo' : template.tag].join('\t')
}

/** Lines of a template with texts that are not taken yet. */
function linesOfTemplate(template: Template, count: number, taken: Set<string>): string[] {
  const random = randomOf(template.text)
  const lines: string[] = []
  for (let tries = 0; tries < count * 10 && lines.length < count; tries += 1) {
    const line = lineOf(template, random)
    const text = line?.split('\t')[0]?.toLowerCase()
    if (line === null || text === undefined || taken.has(text)) continue
    sentenceOf(line, 'generated')
    taken.add(text)
    lines.push(line)
  }
  return lines
}

const byHand = (): string[] =>
  globSync('{fit,calibration,held-out}/*.tsv', { cwd: root, exclude: ['*/generated.tsv'] })
    .flatMap((path) => linesOf(join(root, path)))
    .map((line) => line.split('\t')[0]?.toLowerCase() ?? '')

/** The templates of a split. */
export const templatesOf = (split: Split): Template[] =>
  linesOf(join(root, 'templates', `${split}.tsv`)).map((line) => templateOf(line))

/** The file `generated.tsv` of each split: its path and its text. */
export function generatedFiles(): { path: string; text: string }[] {
  const taken = new Set(byHand())
  return splits.map((split) => ({
    path: join(root, split, 'generated.tsv'),
    text: `${[HEADER, ...templatesOf(split).flatMap((template) => linesOfTemplate(template, perTemplate[split], taken))].join('\n')}\n`,
  }))
}
