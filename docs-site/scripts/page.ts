/**
 * Markdown of generated pages.
 * @module
 */

/** A page of the site: where it goes below `src/content/docs/reference`, and what it says. */
export interface Page {
  /** Without the extension: `pages/errors`. */
  readonly path: string
  readonly title: string
  /** One sentence, also for search engines. */
  readonly description: string
  /** Place in the sidebar; pages without one come last. */
  readonly order?: number
  readonly body: string
}

/** The text of a page's file: front matter and body. Its source is named, so that nobody edits the copy. */
export function pageText({ title, description, order, body }: Page, source: string): string {
  const sidebar = order === undefined ? [] : ['sidebar:', `  order: ${order}`]
  const matter = [`title: ${JSON.stringify(title)}`, `description: ${JSON.stringify(description)}`, 'editUrl: false']
  return ['---', ...matter, ...sidebar, '---', '', `<!-- Generated from ${source}. -->`, '', body.trim(), ''].join('\n')
}

/** A table; cells are Markdown on one line. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Inline code. */
export const code = (text: string): string => `\`${text}\``
