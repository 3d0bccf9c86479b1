/**
 * Numbered invariants of the packages: defined once, as `- work.W3 …` in the header of a file or as `- **work.W3** …` in a
 * DESIGN.md, and cited in comments by the same id. The prefix is the file or folder that an invariant belongs to. Decisions
 * (`G18`) and the requirements, threats and faults of test titles have no prefix, and no invariant is without one.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { describe, expect, test } from 'vitest'

interface Text {
  readonly path: string
  readonly text: string
}

/** A package: its sources, tests and pages of design. */
interface Package {
  readonly name: string
  readonly texts: readonly Text[]
}

/** A comment, or a paragraph of a page, on one line. */
interface Passage {
  readonly path: string
  readonly text: string
}

interface Definition {
  readonly path: string
  readonly id: string
}

const ID = /(?<![\w.-])([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.([A-Z])(\d{1,2})(?:-\2(\d{1,2}))?(?![\w-])/g
const PREFIXED = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.[A-Z]\d{1,2}$/
const BARE = /(?<![\w.'"`%+-])[A-Z]\d{1,2}(?![\w.'"`%])/g

const isPage = ({ path }: Text): boolean => path.endsWith('.md')
const isSource = ({ path }: Text): boolean => path.includes('/src/')

/** Definitions, those without a prefix too. */
function definitionsIn(text: Text): Definition[] {
  const [header = ''] = /^\/\*\*[\s\S]*?\*\//m.exec(text.text) ?? []
  const found = isPage(text)
    ? text.text.matchAll(/^- \*\*([\w.-]*[A-Z]\d{1,2})\*\* /gm)
    : header.matchAll(/^ \* (?:- ([\w.-]*[A-Z]\d{1,2}) |([A-Z]\d{1,2}) [A-Z])/gm)
  return [...found].map(([, id, plain = '']) => ({ path: text.path, id: id ?? plain }))
}

/** Comments of a file, or paragraphs of a page. */
function passagesOf({ path, text }: Text): Passage[] {
  const found = path.endsWith('.md')
    ? text.split(/\n(?=\n|- |\|)/)
    : [...text.matchAll(/^\s*\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm)].map(([comment]) => comment)
  return found.map((each) => ({ path, text: each.replaceAll(/\s*\n\s*\*?\s*/g, ' ') }))
}

/** The invariants of all packages, by package and id. */
type Known = ReadonlyMap<string, ReadonlySet<string>>

const knownOf = (packages: readonly Package[]): Known =>
  new Map(
    packages.map(({ name, texts }) => {
      const ids = texts.flatMap(definitionsIn).map(({ id }) => id)
      return [name, new Set(ids.filter((id) => PREFIXED.test(id)))]
    }),
  )

/** Faults of definitions: no prefix, a prefix that is nothing of the package, two letters or two places for one id. */
function faultyDefinitions({ name, texts }: Package): string[] {
  const nouns = new Set([
    name,
    ...texts.filter(isSource).flatMap(({ path }) => [basename(path, '.ts'), ...dirname(path).split('/')]),
  ])
  const places = new Map<string, string>()
  const letters = new Map<string, string>()
  return texts.flatMap(definitionsIn).flatMap(({ path, id }) => {
    const [prefix = '', number = ''] = id.split('.')
    if (!PREFIXED.test(id))
      return [`${path}: invariant ${id} has no noun; write the file or folder before it, as in "work.W3"`]
    const faults: string[] = []
    const earlier = places.get(id)
    if (earlier !== undefined)
      faults.push(`${path}: ${id} is defined in ${earlier} too; give one of them the next number`)
    places.set(id, path)
    if (!nouns.has(prefix))
      faults.push(
        `${path}: "${prefix}" of ${id} is no file or folder of ${name}; name the one that the invariant is about`,
      )
    const letter = letters.get(prefix) ?? number[0] ?? ''
    letters.set(prefix, letter)
    if (number[0] !== letter)
      faults.push(`${path}: ${id} has another letter than ${prefix}.${letter}1; a noun has one letter`)
    return faults
  })
}

/** Faults of citations with a prefix: nobody defines it, or a range that is said to be whole ends before the last one. */
function faultyCitations({ path, text }: Passage, own: string, known: Known): string[] {
  return [...text.matchAll(ID)].flatMap(([cited, prefix = '', letter = '', first = '', last = first]) => {
    const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at)
    const ids = numbers.map((number) => `${prefix}.${letter}${number}`)
    const named = [...known].filter(([name]) => name === own || text.includes(` of ${name}`)).map(([, set]) => set)
    const holder = named.find((set) => ids.every((id) => set.has(id)))
    if (holder === undefined) {
      const elsewhere = [...known].filter(([, set]) => ids.every((id) => set.has(id))).map(([name]) => name)
      const remedy = elsewhere.length === 0 ? 'define or correct it' : `write "${cited} of ${elsewhere.join(' or ')}"`
      return [`${path}: nothing in ${own} defines ${cited}; ${remedy}`]
    }
    const next = `${prefix}.${letter}${Number(last) + 1}`
    return last !== first && first === '1' && holder.has(next)
      ? [`${path}: the range ${cited} leaves ${next} out; name all of them, or single ones`]
      : []
  })
}

/** Faults of citations without a prefix: they mean an invariant, or nothing that is known. */
function bareCitations({ path, text }: Passage, own: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  const numbers = Map.groupBy(own, (id) => id.split('.').at(-1) ?? '')
  const alone = new Set(
    [...text.matchAll(/\(([A-Z]\d{1,2}(?:(?:, | and |-)[A-Z]\d{1,2})*)\)/g)].flatMap(
      ([, ids = '']) => ids.match(BARE) ?? [],
    ),
  )
  return (text.match(BARE) ?? [])
    .filter((id) => !others.has(id) && (numbers.has(id) || alone.has(id)))
    .map((id) => {
      const meant = numbers.get(id) ?? []
      const remedy = meant.length === 0 ? 'correct it' : `write ${meant.join(' or ')}`
      return `${path}: ${id} is no decision, and an invariant has a noun; ${remedy}`
    })
}

/** All faults of a package; `others` are the ids that stand without a prefix. */
function faultsOf(each: Package, known: Known, others: { decisions: ReadonlySet<string>; cases: ReadonlySet<string> }) {
  const own = known.get(each.name) ?? new Set()
  const inTests = new Set([...others.decisions, ...others.cases])
  return [
    ...faultyDefinitions(each),
    ...each.texts.flatMap((text) => {
      const bare = isSource(text) || isPage(text) ? others.decisions : inTests
      return passagesOf(text).flatMap((passage) => [
        ...faultyCitations(passage, each.name, known),
        ...bareCitations(passage, own, bare),
      ])
    }),
  ]
}

const root = join(import.meta.dirname, '..')
const read = (path: string): Text => ({ path, text: readFileSync(join(root, path), 'utf8') })
const idsIn = (path: string, row: RegExp): string[] => [...read(path).text.matchAll(row)].map(([, id = '']) => id)

const packages = globSync('packages/*', { cwd: root })
  .toSorted()
  .map((folder): Package => {
    const paths = [`${folder}/DESIGN.md`, `${folder}/src/**/DESIGN.md`, `${folder}/{src,test}/**/*.ts`]
    return { name: basename(folder), texts: globSync(paths, { cwd: root }).toSorted().map(read) }
  })
const known = knownOf(packages)
const others = {
  decisions: new Set(idsIn('docs-site/src/content/docs/project/decisions.mdx', /^\| ([A-Z]\d+) +\|/gm)),
  cases: new Set(['requirements', 'threats'].flatMap((table) => idsIn(`test/${table}.tsv`, /^([A-Z]\d+)\t/gm))),
}

test('there are invariants, decisions and cases to look at', () => {
  expect([...known.values()].reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(100)
  expect(others.decisions.size).toBeGreaterThan(100)
  expect(others.cases.size).toBeGreaterThan(700)
})

test.each(packages)('every invariant of $name is defined once, by its noun, and cited as it is defined', (each) => {
  expect(faultsOf(each, known, others)).toEqual([])
})

describe('a fault is named with its file, its id and a remedy', () => {
  const page = (...rules: string[]): Text => ({
    path: 'packages/a/src/work/DESIGN.md',
    text: `# Work\n\n${rules.join('\n')}\n`,
  })
  const source = (comment: string): Text => ({
    path: 'packages/a/src/work/work.ts',
    text: `/**\n${comment}\n */\nexport {}\n`,
  })
  const found = (...texts: Text[]): string[] => {
    const here = { name: 'a', texts }
    const there = { name: 'b', texts: [{ path: 'packages/b/src/loop.ts', text: '/**\n * - loop.L1 first\n */\n' }] }
    return faultsOf(here, knownOf([here, there]), { decisions: new Set(['G18', 'R4']), cases: new Set() })
  }

  test.each([
    ['an id without a noun', [page('- **W1** first')], /W1 has no noun/],
    ['an id without a noun in a header', [source(' * W1 First')], /W1 has no noun/],
    [
      'a second definition',
      [page('- **work.W1** first'), source(' * - work.W1 first')],
      /work\.W1 is defined in packages\/a/,
    ],
    [
      'a noun that is not there',
      [page('- **play.W1** first'), source(' * Work.')],
      /"play" of play\.W1 is no file or folder/,
    ],
    ['a second letter', [source(' * - work.W1 first\n * - work.K2 second')], /work\.K2 has another letter/],
    ['an unknown id', [source(' * Keeps work (work.W7).')], /nothing in a defines work\.W7; define or correct it/],
    ['an id of another package', [source(' * Delivers (loop.L1).')], /write "loop\.L1 of b"/],
    ['a range with a gap', [source(' * - work.W1 first\n *\n * See work.W1-W2.')], /nothing in a defines work\.W1-W2/],
    [
      'a range that ended',
      [page('- **work.W1** first', '- **work.W2** second', '- **work.W3** third'), source(' * See work.W1-W2.')],
      /leaves work\.W3 out/,
    ],
    [
      'a citation without its noun',
      [source(' * - work.W1 first\n *\n * As W1 says.')],
      /W1 is no decision.*; write work\.W1/,
    ],
    ['a citation of nothing', [source(' * Keeps work (K9).')], /K9 is no decision/],
  ])('%s', (_what, texts, fault) => {
    expect(found(...texts)).toEqual([expect.stringMatching(fault)])
  })

  test('and nothing else is one: decisions, and invariants of a package that is named', () => {
    const rules = page('- **work.W1** first (R4), see loop.L1 of b', '- **work.W2** second (work.W1)')
    expect(found(rules, source(' * Work (wire decision G18, work.W2). Invariants work.W1-W2, and R4.'))).toEqual([])
  })
})
