/**
 * The recipes of `CONTRIBUTING.md`: each heading below "Recipes", with the files that its blocks write, the commands that
 * follow, and the files that it says to touch.
 * @module
 */
import type { FreshCheckout } from './fresh-checkout.ts'
import { type TitledBlock, titledBlocks } from './titled-blocks.ts'

export interface Recipe {
  readonly name: string
  readonly blocks: readonly TitledBlock[]
  /** Command lines in their order, as words. */
  readonly commands: readonly (readonly string[])[]
  /** Files of the blocks, and those that the sentence "Touches ..." adds. */
  readonly touches: readonly string[]
}

/** What a migration of the page has for its number. */
const NUMBER = 'NNNN'

/** The recipes of the page, in its order; their migrations have the numbers from `number` on. */
export function recipesIn(page: string, number: number): Recipe[] {
  const texts = sections(sections(page, '## ').find((section) => section.startsWith('Recipes\n')) ?? '', '### ')
  const migrating = texts.filter((text) => text.includes(`migrations/${NUMBER}-`))
  return texts.map((text) =>
    recipeIn(text.replaceAll(NUMBER, String(number + migrating.indexOf(text)).padStart(NUMBER.length, '0'))),
  )
}

function recipeIn(text: string): Recipe {
  const blocks = titledBlocks(text)
  const [sentences = ''] = /^Touches .*?(?=\n\n|$(?![\s\S]))/ms.exec(text) ?? []
  const added = [...sentences.matchAll(/`([^`\s]+\/[^`\s]+\.\w+)`/g)].map(([, path = '']) => path)
  const lines = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, lines = '']) => lines.trim().split('\n'))
  return {
    name: text.slice(0, text.indexOf('\n')),
    blocks,
    commands: lines.map((line) => line.split(' ')),
    touches: [...blocks.map(({ title }) => title), ...added.filter((path) => path.startsWith('packages/'))],
  }
}

/** Parts of a page below headings of one level. */
const sections = (page: string, heading: string): string[] => page.split(`\n${heading}`).slice(1)

/** Writes what a block holds: a whole file, which must be new, or changes of one that is there. */
export function apply({ language, title, text }: TitledBlock, checkout: FreshCheckout): void {
  const isThere = checkout.exists(title)
  if (language !== 'diff') {
    if (isThere) throw new Error(`${title} exists already: the recipe needs another example`)
    return checkout.write(title, text)
  }
  if (!isThere) throw new Error(`${title} does not exist, and the recipe changes it`)
  checkout.write(title, patched(checkout.read(title), text, title))
}

/** A file with the hunks of a diff, between which stands `@@`; each has to fit in one place. */
function patched(file: string, diff: string, path: string): string {
  return diff.split(/^@@\n/m).reduce((text, hunk) => {
    const lines = hunk.split('\n').slice(0, -1)
    const side = (other: string): string =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    const places = `\n${text}`.split(`\n${side('+')}`)
    if (places.length === 2) return places.join(`\n${side('-')}`).slice(1)
    throw new Error(`${path} has ${places.length - 1} places for these lines, not one:\n${hunk}`)
  }, file)
}
