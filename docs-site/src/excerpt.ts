/**
 * Parts of files that the checks run, for guides: a guide shows code, it never repeats it.
 * @module
 */

/**
 * The paragraphs of a source in which lines begin with these texts, in this order, without their common indentation.
 * A paragraph goes from the empty line above to the empty line below that ends the statement. Throws when no line
 * begins so: the guide is stale.
 */
export function excerpt(source: string, ...beginnings: readonly string[]): string {
  const lines = source.trimEnd().split('\n')
  return beginnings.map((beginning) => paragraph(lines, beginning)).join('\n\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length

function paragraph(lines: readonly string[], beginning: string): string {
  const at = lines.findIndex((line) => line.trimStart().startsWith(beginning))
  if (at < 0) throw new Error(`no line of the source begins with "${beginning}"; mend the guide`)
  const indent = indentOf(lines[at] ?? '')
  const isOutside = (line: string): boolean => line !== '' && indentOf(line) < indent
  let start = at
  while (start > 0 && lines[start - 1] !== '' && !isOutside(lines[start - 1] ?? '')) start--
  let end = at
  while (end < lines.length && !isOutside(lines[end] ?? '') && !isEnd(lines, end, indent)) end++
  return lines
    .slice(start, end)
    .map((line) => line.slice(indent))
    .join('\n')
    .trimEnd()
}

/** An empty line ends a paragraph unless the statement goes on, indented, behind it. */
const isEnd = (lines: readonly string[], at: number, indent: number): boolean =>
  lines[at] === '' && indentOf(lines[at + 1] ?? '') <= indent
