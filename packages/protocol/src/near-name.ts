/**
 * The name that somebody may have meant: what checks of messages suggest where a name is misspelled.
 * @module
 */

/** Beyond so many names none is looked for: checks stay linear in the size of a document. */
const MAX_NAMES = 500
/** Letters that may be wrong, and how many there have to be for each of them. */
const MOST_EDITS = 2
const LETTERS_AN_EDIT = 3

/** The nearest of the names, and the first of equally near ones; null when none is near. */
export function nearName(name: string, names: readonly string[]): string | null {
  if (names.length > MAX_NAMES) return null
  let most = Math.min(MOST_EDITS, Math.floor(name.length / LETTERS_AN_EDIT))
  let nearest: string | null = null
  for (const other of names) {
    if (Math.abs(other.length - name.length) > most) continue
    const edits = distance(name, other)
    if (edits > most || edits === 0) continue
    nearest = other
    most = edits - 1
  }
  return nearest
}

/** Letters to add, remove or replace, and neighbours to swap, until one text is the other (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let at = 1; at <= other.length; at++) {
      const replaced = (last[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1)
      const isSwap = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      const swapped = isSwap ? (before[at - 2] ?? 0) + 1 : replaced
      now.push(Math.min(replaced, swapped, (last[at] ?? 0) + 1, (now[at - 1] ?? 0) + 1))
    }
    before = last
    last = now
  }
  return last[other.length] ?? 0
}
