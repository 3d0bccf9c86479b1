/**
 * Which requirements, threats and faults the tests cite: `[R012]` or `[R012, T70, F12]` at the end of a test's title.
 * Prints a line an area; `--open` lists what no test cites yet. Fails on a citation of an unknown id.
 */
import { globSync, readFileSync } from 'node:fs'

/** Lines of a table without its head, as cells. */
const table = (path: string): string[][] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))

const requirements = new Map(
  table('test/requirements.tsv').map(([id = '', area = '', text = '']) => [id, { area, text }]),
)
const threats = new Map(
  table('test/threats.tsv').map(([id = '', text = '']) => [
    id,
    { area: id.startsWith('T') ? 'threats' : 'faults', text },
  ]),
)
const known = new Map([...requirements, ...threats])

const cited = new Map<string, string>()
for (const file of globSync(['packages/{*,connectors/*}/test/**/*.ts', 'test/**/*.ts', 'examples/*/*.ts']))
  for (const [, ids] of readFileSync(file, 'utf8').matchAll(/\[([RTFN]\d{1,3}(?:,\s*[RTFN]\d{1,3})*)\]/g))
    for (const [id] of ids?.matchAll(/[RTF]\d+/g) ?? []) cited.set(id, file)

const unknown = [...cited].filter(([id]) => !known.has(id))
for (const [id, file] of unknown) {
  console.error(`${file} cites ${id}, which test/${id.startsWith('R') ? 'requirements' : 'threats'}.tsv does not hold`)
}

const areas = Map.groupBy(known, ([, { area }]) => area)
for (const [area, entries] of [...areas].toSorted(([a], [b]) => a.localeCompare(b))) {
  const open = entries.filter(([id]) => !cited.has(id))
  console.log(`${area.padEnd(16)} ${String(entries.length - open.length).padStart(3)} of ${entries.length}`)
  if (process.argv.includes('--open')) for (const [id, { text }] of open) console.log(`  ${id} ${text}`)
}
const count = (ids: ReadonlyMap<string, unknown>): string =>
  `${[...ids.keys()].filter((id) => cited.has(id)).length} of ${ids.size}`
console.log(`requirements cited: ${count(requirements)}`)
console.log(`threats and faults cited: ${count(threats)}`)
process.exit(unknown.length > 0 ? 1 : 0)
