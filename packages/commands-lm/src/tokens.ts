/**
 * From a sentence to words: lower case, contractions in full, punctuation kept as a hint between words.
 * @module
 */

/** What stands between two words. */
export const gaps = { none: 0, comma: 1, stop: 2, question: 3 } as const
/** What stands between two words: nothing, a comma or a hesitation, the end of a sentence, a question mark. */
export type Gap = (typeof gaps)[keyof typeof gaps]

/** A word of the sentence. */
export interface Token {
  /** As the sentence has it. */
  readonly said: string
  readonly word: string
  /** What stands before it. */
  readonly gap: Gap
}

/** The words of a sentence, and how it ends. */
export interface Tokens {
  readonly words: readonly Token[]
  readonly end: Gap
  /** Whether more was said than is read. */
  readonly long: boolean
}

/** Longer sentences are refused: nobody says them, and reading them takes time. */
export const MAX_WORDS = 120
const MAX_CHARACTERS = 4000

const hesitations = new Set('um uh uhm umm uhh er erm err em ehm hmm hm mm mmm ah ahh aah ooh oooh ugh eh'.split(' '))

const contractions: Readonly<Record<string, string>> = {
  "won't": 'will not',
  wont: 'will not',
  cna: 'can',
  yuo: 'you',
  yu: 'you',
  plase: 'please',
  pelase: 'please',
  adn: 'and',
  nad: 'and',
  fro: 'for',
  iwant: 'i want',
  "can't": 'can not',
  cant: 'can not',
  cannot: 'can not',
  "shan't": 'shall not',
  dont: 'do not',
  dnt: 'do not',
  omw: 'on my way',
  w: 'with',
  bedrm: 'bedroom',
  doesnt: 'does not',
  didnt: 'did not',
  isnt: 'is not',
  arent: 'are not',
  wasnt: 'was not',
  donut: 'do not',
  couldnt: 'could not',
  wouldnt: 'would not',
  shouldnt: 'should not',
  havent: 'have not',
  hasnt: 'has not',
  neednt: 'need not',
  im: 'i am',
  ive: 'i have',
  id: 'i would',
  youre: 'you are',
  youve: 'you have',
  theyre: 'they are',
  weve: 'we have',
  thats: "that 's",
  whats: "what 's",
  theres: "there 's",
  itd: 'it would',
  itll: 'it will',
  hes: "he 's",
  shes: "she 's",
  wheres: "where 's",
  whos: "who 's",
  hows: "how 's",
  "let's": 'lets',
  letz: 'lets',
  wanna: 'want to',
  gonna: 'going to',
  gotta: 'got to',
  oughta: 'ought to',
  lemme: 'let me',
  gimme: 'give me',
  hafta: 'have to',
  wouldja: 'would you',
  wouldya: 'would you',
  couldja: 'could you',
  couldya: 'could you',
  canya: 'can you',
  willya: 'will you',
  dya: 'do you',
  dyou: 'do you',
  "d'you": 'do you',
  "d'ya": 'do you',
  u: 'you',
  ya: 'you',
  ye: 'you',
  yous: 'you',
  ur: 'your',
  yer: 'your',
  r: 'are',
  n: 'and',
  "n'": 'and',
  pls: 'please',
  plz: 'please',
  plese: 'please',
  plis: 'please',
  plss: 'please',
  pleas: 'please',
  pleez: 'please',
  pleease: 'please',
  thx: 'thanks',
  ty: 'thanks',
  tnx: 'thanks',
  cud: 'could',
  wud: 'would',
  shud: 'should',
  b4: 'before',
  bc: 'because',
  "'cause": 'because',
  cuz: 'because',
  coz: 'because',
  cos: 'because',
  "'cos": 'because',
  cause: 'because',
  offf: 'off',
  oof: 'off',
  ofg: 'off',
  ogf: 'off',
  iff: 'off',
  pff: 'off',
  odf: 'off',
  ob: 'on',
  om: 'on',
  pn: 'on',
  ion: 'on',
  ona: 'on',
  delights: 'the lights',
  em: 'them',
  "'em": 'them',
  cuppa: 'couple of',
  kinda: 'kind of',
  sorta: 'sort of',
  outta: 'out of',
  "'til": 'until',
  til: 'until',
  till: 'until',
  teh: 'the',
  hte: 'the',
  tge: 'the',
  thr: 'the',
  da: 'the',
  de: 'the',
  th: 'the',
  "th'": 'the',
  "t'": 'the',
  "y'all": 'you',
  yall: 'you',
  "ma'am": 'maam',
  "o'clock": 'oclock',
  tonite: 'tonight',
  nite: 'night',
  rn: 'now',
  asap: 'now',
  dis: 'this',
  dat: 'that',
  wiv: 'with',
  agen: 'again',
  agin: 'again',
  minits: 'minutes',
  minuts: 'minutes',
  mintues: 'minutes',
  mins: 'minutes',
  hrs: 'hours',
  "'s": "'s",
  everythin: 'everything',
  somethin: 'something',
  nothin: 'nothing',
}

const suffixes: readonly (readonly [RegExp, string])[] = [
  [/^(.+)n't$/, '$1 not'],
  [/^(i)'m$/, '$1 am'],
  [/^(.+)'re$/, '$1 are'],
  [/^(.+)'ve$/, '$1 have'],
  [/^(.+)'d$/, '$1 would'],
  [/^(.+)'ll$/, '$1 will'],
  [/^(.+s)'$/, '$1'],
  [/^(.+)'s$/, "$1 's"],
]

const PIECE =
  /(\d{1,2}[:.]\d{2}(?=\s*(?:[ap]\.?\s?m\b|o'?clock|uhr|hrs?\b)))|(\d{1,2}:\d{2})|(\d*[.,]\d(?!\d))|(\d+)|([\p{L}\p{M}]*'?[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*'?)|(%)|([.!?…。！？]+)|([,;:()[\]{}"/|–—\-\n\r]+)/gu

const plain = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS)
    .replaceAll('½', '.5')
    .normalize('NFKC')
    .replace(/[‘’ʼ`´′]/g, "'")
    .replace(/º|°|˚/g, ' degrees ')
    .replace(
      /degrees +([cf])\b/gi,
      (_, unit: string) => `degrees ${unit.toLowerCase() === 'c' ? 'celsius' : 'fahrenheit'}`,
    )
    .replaceAll(/\b4get/gi, 'forget')
    .replaceAll(/\b\d{1,2}(?:st|nd|rd|th)\b/gi, 'nth')
    .replaceAll(/\b2(nite|night|day)\b/gi, 'to$1')
    .replaceAll(/\b2mor+ow\b|\b2moro\b/gi, 'tomorrow')
    .replaceAll(/\bhalf n hour\b/gi, 'half an hour')
    .replace(/&/g, ' and ')
    .replace(/\+/g, ' and ')
    .toLowerCase()

const inContractions = (piece: string): string | undefined =>
  Object.hasOwn(contractions, piece) ? contractions[piece] : undefined

/** Words as they are spelled in full; several for a contraction. */
function inFull(piece: string): readonly string[] {
  const known = inContractions(piece) ?? inContractions(piece.replaceAll(/^'+|'+$/g, ''))
  if (known !== undefined && piece !== 'em') return known.split(' ')
  for (const [shape, whole] of suffixes) if (shape.test(piece)) return piece.replace(shape, whole).split(' ')
  const bare = piece.replaceAll("'", '').normalize('NFD').replaceAll(/\p{M}/gu, '')
  return [bare]
}

/** Digits that are written for a word: "lights 2", "4 me". */
function worded(all: readonly Token[], token: Token, at: number): Token {
  if (token.word === '4' && /^(me|us)$/.test(all[at + 1]?.word ?? '')) return { ...token, word: 'for' }
  const last = at > 0 && (all[at + 1]?.gap ?? gaps.stop) > gaps.none
  const counted = /^(to|at|by|in|than|for|like|about|exactly)$/.test(all[at - 1]?.word ?? '')
  return token.word === '2' && last && !counted ? { ...token, word: 'too' } : token
}

/** What a stop sign between words means. */
const stopOf = (sign: string): Gap =>
  /[?？]/.test(sign) ? gaps.question : /^(\.{2,}|…+)$/.test(sign) ? gaps.comma : gaps.stop

/** The words that a piece of the sentence stands for; none for what only parts words. */
function wordsOf(match: RegExpExecArray, before: string | undefined): readonly string[] {
  const [piece, spokenClock, clock, decimal, whole, word, percent] = match
  if (spokenClock ?? clock) return [piece.replace('.', ':')]
  if (decimal ?? whole) return [piece.replace(',', '.')]
  if (percent !== undefined) return ['percent']
  if (word === undefined || (hesitations.has(word) && !(word === 'em' && before === 'of'))) return []
  return inFull(word).filter((part) => part !== '')
}

function pieces(text: string): { readonly all: Token[]; readonly end: Gap } {
  const all: Token[] = []
  let gap: Gap = gaps.none
  for (const match of plain(text).matchAll(PIECE)) {
    const [piece] = match
    const stop = match[7]
    const words = stop === undefined ? wordsOf(match, all.at(-1)?.word) : []
    if (stop !== undefined && gap !== gaps.question) gap = stopOf(stop)
    else if (words.length === 0 && gap === gaps.none && piece !== '-') gap = gaps.comma
    for (const word of words) {
      all.push({ said: piece, word, gap })
      gap = gaps.none
    }
  }
  return { all: all.map((token, at) => worded(all, token, at)), end: gap }
}

const same = (all: readonly Token[], one: number, other: number, length: number): boolean => {
  for (let at = 0; at < length; at++) if (all[one + at]?.word !== all[other + at]?.word) return false
  return true
}

/** "night night", "the lights on on the patio". */
const isMeantTwice = (all: readonly Token[], at: number): boolean =>
  all[at]?.word === 'night' ||
  (all[at]?.word === 'on' &&
    at > 0 &&
    /^(the|my|our)$/.test(all[at + 2]?.word ?? '') &&
    !/^(turn|switch|put)$/.test(all[at - 1]?.word ?? ''))

/** What is said twice in a row counts once: "the the", "turn off the turn off the". */
function withoutRepeats(all: readonly Token[]): Token[] {
  const kept: Token[] = []
  for (let at = 0; at < all.length; at++) {
    const repeats = [4, 3, 2, 1].find(
      (length) =>
        at + 2 * length <= all.length && same(all, at, at + length, length) && !(length === 1 && isMeantTwice(all, at)),
    )
    if (repeats !== undefined) {
      const next = all[at + repeats]
      const here = all[at]
      // The second time counts, at the place of the first.
      if (next && here && next.gap < gaps.stop) {
        const rest = all.slice(at + repeats)
        return [...kept, ...withoutRepeats([{ ...next, gap: here.gap }, ...rest.slice(1)])]
      }
    }
    const token = all[at]
    if (token) kept.push(token)
  }
  return kept
}

/** The words of `text`. */
export function tokens(text: string): Tokens {
  const { all, end } = pieces(text)
  if (all.length > MAX_WORDS || text.length > MAX_CHARACTERS) return { words: all.slice(0, MAX_WORDS), end, long: true }
  return { words: withoutRepeats(all), end, long: false }
}
