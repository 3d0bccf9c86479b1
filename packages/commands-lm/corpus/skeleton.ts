/**
 * Skeletons of sentences: the text without what can be put in its place, so that two sentences have one skeleton when they
 * differ in areas, things, numbers, durations, politeness or hesitation alone. No sentence of the held-out split has the
 * skeleton of another split: it shares no template with them, no verb phrase in its place, no order of clauses.
 * @module
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const areas =
  words(`kitchen bathroom bedroom office study lounge garden yard backyard lawn grass patio terrace garage driveway
  drive balcony livingroom loo toilet lavatory washroom restroom bath den cellar attic hallway hall nursery basement loft
  landing shed pantry corridor upstairs downstairs conservatory sauna porch stairs`)
/** First words of areas that have two, with the second. */
const twoWords: Readonly<Record<string, ReadonlySet<string>>> = {
  room: words(
    'living sitting front family drawing bath bed guest utility dining laundry wash play spare tv rumpus box',
  ),
  garden: words('back front rear'),
  yard: words('back front'),
  office: words('home'),
  bedroom: words('master main'),
}
const things =
  words(`light lights lamp lamps lighting lite lites bulb heating heat heater heaters radiator radiators thermostat tv
  telly tellies television televisions radio radios music stereo speaker speakers tunes wireless blind blinds curtain curtains
  shutter shutters shade shades drapes sprinkler sprinklers irrigation watering hose fan oven kettle vacuum hoover dishwasher
  toaster alarm`)
const numbers =
  words(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred half quarter quarters couple dozen point`)
const units =
  words(`second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks degree degrees celsius
  fahrenheit percent`)
const fillers =
  words(`please pls plz plase kindly just um uh er erm hey hi hello ok okay so right well now yo oi oh ah ooh love
  mate dear darling sweetie honey house thanks thank ta cheers you would could can will do the a an my our that this those these
  some any like yeah me us alexa siri then really`)

/** What stands for a word: a class of words in capitals, itself, or nothing. */
function standsFor(word: string): string {
  if (areas.has(word)) return 'AREA'
  if (things.has(word)) return 'THING'
  if (numbers.has(word) || /^\d+(?:[.,:]\d+)?%?$/.test(word)) return 'NUMBER'
  if (units.has(word)) return 'UNIT'
  return fillers.has(word) ? '' : word
}

/** The skeleton of a text. */
export function skeletonOf(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/['’‘]/g, '')
    .replaceAll(/[^\p{L}\p{N}.%]+|\.(?!\d)/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
  const joined = plain.flatMap((word, at) => {
    if (twoWords[plain[at + 1] ?? '']?.has(word)) return []
    return twoWords[word]?.has(plain[at - 1] ?? '') ? ['kitchen'] : [word]
  })
  const classes = joined.map((word) => standsFor(word)).filter((word) => word !== '')
  return classes
    .join(' ')
    .replaceAll(/NUMBER(?: and NUMBER| of NUMBER| of| NUMBER)*(?: UNIT)?(?: and NUMBER(?: UNIT)?)?/g, 'AMOUNT')
    .replaceAll(/\bUNIT(?: and (?:AMOUNT|NUMBER))?/g, 'AMOUNT')
    .replaceAll(/AMOUNT(?: (?:and |of )?AMOUNT)+/g, 'AMOUNT')
    .replaceAll(/(AREA|THING)(?: (?:and |or )?\1)+/g, '$1')
}
