/** Tables as text (RFC 4180), for a look at their beginning. */

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Rows and columns that are not shown. */
  readonly more: number
  readonly hidden: number
}

const [MOST_ROWS, MOST_COLUMNS] = [200, 40]

/** The first row names the columns. */
export function tableOf(text: string, separator: ',' | '\t' = ','): Table {
  const all = rowsOf(text.startsWith('\uFEFF') ? text.slice(1) : text, separator)
  const width = all.slice(0, MOST_ROWS + 1).reduce((most, row) => Math.max(most, row.length), 0)
  const shown = all
    .slice(0, MOST_ROWS + 1)
    .map((row) => Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, at) => row[at] ?? ''))
  const [head = [], ...rows] = shown
  return { head, rows, more: Math.max(0, all.length - 1 - MOST_ROWS), hidden: Math.max(0, width - MOST_COLUMNS) }
}

/** A quoted field has separators, line ends and doubled quotes in it. */
function rowsOf(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const [field, end] = text[at] === '"' ? quoted(text, at) : plain(text, at, separator)
    row.push(field)
    at = end
    if (text[at] === separator) {
      at += 1
      // a separator at the very end is followed by an empty field
      if (at === text.length) row.push('')
      else continue
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    rows.push(row)
    row = []
  }
  return rows.filter((one) => one.length > 1 || one[0] !== '')
}

function plain(text: string, from: number, separator: string): [string, number] {
  let end = from
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return [text.slice(from, end), end]
}

/** What stands behind the closing quote still belongs to the field. */
function quoted(text: string, from: number): [string, number] {
  let field = ''
  let at = from + 1
  for (;;) {
    const close = text.indexOf('"', at)
    if (close < 0) return [field + text.slice(at), text.length]
    field += text.slice(at, close)
    if (text[close + 1] !== '"') return [field, close + 1]
    field += '"'
    at = close + 2
  }
}
