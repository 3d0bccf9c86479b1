/**
 * Fenced blocks of a page that have a title (` ```ts title="path" `): `ARCHITECTURE.md` keeps its drawings in them, and
 * `CONTRIBUTING.md` its recipes. The tests of both pages read them here.
 * @module
 */

/** A block as it stands in the page. */
export interface TitledBlock {
  /** Word behind the fence: `ts`, `diff`, `text`. */
  readonly language: string
  readonly title: string
  /** Its lines, each with its end. */
  readonly text: string
  /** The paragraph before it. */
  readonly before: string
}

/** All titled blocks of a page, in its order. */
export const titledBlocks = (page: string): TitledBlock[] =>
  [...page.matchAll(/^```(\w+) title="([^"]+)"\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: title = '', 3: text = '', index }) => ({
      language,
      title,
      text,
      before: page.slice(0, index).trimEnd().split('\n\n').at(-1) ?? '',
    }),
  )

/** The text of the block of a title; fails where the page has none. */
export function titledBlock(page: string, title: string): string {
  const block = titledBlocks(page).find((each) => each.title === title)
  if (block) return block.text
  throw new Error(`the page has no block with the title "${title}"`)
}
