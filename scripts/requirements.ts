/**
 * Which requirements the tests cite: `[R012]` or `[R012, R013]` at the end of a test's title, where threats and faults
 * (`T70`, `F12`) may stand beside them.
 * Prints a line an area; `--open` lists the ids that no test cites yet. Fails on a citation of an unknown id.
 */
import { globSync, readFileSync } from 'node:fs'

const rows = readFileSync('test/requirements.tsv', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
const known = new Map(rows.map(([id, area, statement]) => [id ?? '', { area: area ?? '', statement: statement ?? '' }]))

const cited = new Map<string, string>()
for (const file of globSync(['packages/*/test/**/*.ts', 'test/**/*.ts', 'examples/*/*.ts']))
  for (const [, ids] of readFileSync(file, 'utf8').matchAll(/\[([RTFN]\d{1,3}(?:,\s*[RTFN]\d{1,3})*)\]/g))
    for (const [id] of ids?.matchAll(/R\d{3}/g) ?? []) cited.set(id, file)

const unknown = [...cited].filter(([id]) => !known.has(id))
for (const [id, file] of unknown) console.error(`${file} cites ${id}, which test/requirements.tsv does not hold`)

const areas = Map.groupBy(known, ([, { area }]) => area)
for (const [area, entries] of [...areas].toSorted(([a], [b]) => a.localeCompare(b))) {
  const open = entries.filter(([id]) => !cited.has(id))
  console.log(`${area.padEnd(16)} ${String(entries.length - open.length).padStart(3)} of ${entries.length}`)
  if (process.argv.includes('--open')) for (const [id, { statement }] of open) console.log(`  ${id} ${statement}`)
}
console.log(`requirements cited: ${[...cited.keys()].filter((id) => known.has(id)).length} of ${known.size}`)
process.exit(unknown.length > 0 ? 1 : 0)
