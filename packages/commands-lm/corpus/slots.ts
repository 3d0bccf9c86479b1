/**
 * What the generator puts into the slots of its templates: `{area}`, `{light2}`, `{span}`.
 * @module
 */
import { type CommandArea, commandAreas, indoorAreas } from '@flow-service/protocol'

/** What people say, beside what the files of the corpus call it. */
export type Filling = readonly [said: string, written: string]

const areaNames: Readonly<Record<CommandArea, readonly string[]>> = {
  living_room: ['living room', 'living room', 'lounge', 'sitting room', 'front room', 'family room'],
  kitchen: ['kitchen'],
  bathroom: ['bathroom'],
  bedroom: ['bedroom'],
  office: ['office', 'office', 'study', 'home office'],
  garden: ['garden', 'garden', 'yard', 'back garden'],
  patio: ['patio', 'patio', 'terrace'],
  garage: ['garage'],
  driveway: ['driveway', 'driveway', 'drive'],
  balcony: ['balcony'],
}

const named = (areas: readonly CommandArea[], more: readonly Filling[] = []): Filling[] => [
  ...areas.flatMap((area) => areaNames[area].map((name): Filling => [name, area])),
  ...more,
]

const said = (...words: string[]): Filling[] => words.map((word) => [word, ''])

const units = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const teens = [
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

/** A number below 100 in words. */
const inWords = (n: number): string =>
  n < 10
    ? (units[n] ?? '')
    : n < 20
      ? (teens[n - 10] ?? '')
      : [tens[Math.floor(n / 10)], units[n % 10]].join(' ').trim()

const minutes = [2, 3, 5, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50]
const spans: Filling[] = [
  ...minutes.flatMap((n): Filling[] => [
    [`${n} minutes`, String(n * 60)],
    [`${inWords(n)} minutes`, String(n * 60)],
  ]),
  ...[2, 3, 4].map((n): Filling => [`${inWords(n)} hours`, String(n * 3600)]),
  ['half an hour', '1800'],
  ['half an hour', '1800'],
  ['an hour', '3600'],
  ['an hour', '3600'],
  ['a quarter of an hour', '900'],
  ['an hour and a half', '5400'],
  ['one minute', '60'],
  ['a couple of minutes', '120'],
  ['90 minutes', '5400'],
]

const celsius = [17, 18, 19, 20, 21, 22, 23]
const degrees: Filling[] = celsius.flatMap((n): Filling[] => [
  [String(n), String(n)],
  [inWords(n), String(n)],
  [`${n} degrees`, String(n)],
  [`${inWords(n)} degrees`, String(n)],
  [`${n}.5`, String(n + 0.5)],
  [`${inWords(n)} and a half`, String(n + 0.5)],
])
const toHalves = (fahrenheit: number): string => String(Math.round(((fahrenheit - 32) * 10) / 9) / 2)
const fahrenheit: Filling[] = [60, 62, 64, 65, 66, 68, 70, 71, 72, 74, 75].flatMap((n): Filling[] => [
  [`${n} fahrenheit`, toHalves(n)],
  [`${n} degrees Fahrenheit`, toHalves(n)],
  [`${inWords(n)} degrees fahrenheit`, toHalves(n)],
])

const covered = ['living_room', 'kitchen', 'bedroom', 'office'] as const satisfies CommandArea[]

/** The slots of templates by name; those of one name and different numbers are filled differently. */
export const slots = {
  // places
  area: named(commandAreas),
  indoor: named(indoorAreas),
  outdoor: named(['garden', 'patio', 'garage', 'driveway', 'balcony']),
  covered: named(covered),
  listened: named([...indoorAreas, 'patio']),
  watered: named(['garden', 'patio', 'balcony'], [['lawn', 'garden']]),
  unknown: said(
    'cellar',
    'attic',
    'hallway',
    'nursery',
    'basement',
    'loft',
    'guest room',
    'utility room',
    'landing',
    'shed',
  ),
  // things
  light: said('light', 'lights', 'lamp', 'light', 'lights'),
  lights: said('lights', 'lights', 'lamps'),
  heating: said('heating', 'heat', 'radiator', 'heater'),
  media: said('tv', 'telly', 'television', 'radio', 'music', 'stereo'),
  music: said('music', 'radio', 'stereo'),
  screen: said('tv', 'telly', 'television'),
  cover: said('blinds', 'shutters', 'curtains', 'shades'),
  water: said('sprinklers', 'sprinkler', 'irrigation', 'watering'),
  appliance: said('kettle', 'oven', 'fan', 'dishwasher', 'coffee machine', 'vacuum', 'washing machine', 'toaster'),
  artist: said('jazz', 'Mozart', 'Abba', 'Taylor Swift', 'reggae', 'the Beatles', 'Bob Marley', 'classical music'),
  // amounts
  span: spans,
  odd: [
    ['90 seconds', '120'],
    ['45 seconds', '60'],
    ['thirty seconds', '60'],
    ['two and a half minutes', '180'],
    ['ten seconds', '60'],
    ['200 seconds', '240'],
    ['100 seconds', '120'],
  ],
  long: said('25 hours', 'thirty hours', 'two days', 'three days', 'a week', '48 hours'),
  degrees,
  fahrenheit,
  extreme: said('2 degrees', '35 degrees', 'forty degrees', '40', 'three degrees', 'fifty', '33 degrees'),
  percent: said('20 percent', '50 percent', 'fifty percent', '75%', 'ten percent', '30%'),
  colour: said('red', 'blue', 'green', 'purple', 'pink', 'orange'),
  clock: said(
    'at seven',
    "at eight o'clock",
    'tonight',
    'tomorrow',
    'tomorrow morning',
    'at 6 pm',
    'at sunset',
    'every evening',
    'at noon',
    'on Sunday',
  ),
  vague: said('later', 'in a bit', 'in a few minutes', 'in a while', 'soon', 'later on'),
} as const satisfies Record<string, readonly Filling[]>
/** Name of a slot without its number. */
export type SlotName = keyof typeof slots
