/** The recipes of `CONTRIBUTING.md`, followed in a checkout of their own. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type FreshCheckout, freshCheckout } from './fresh-checkout.ts'
import { apply, type Recipe, recipesIn } from './recipes.ts'

/** Only ends what hangs: a compiler takes its time on a busy machine. */
const LIMIT_MS = 600_000

const root = join(import.meta.dirname, '..')
const newest = readdirSync(join(root, 'packages/api-server/src/db/migrations')).toSorted().at(-1) ?? ''
const recipes = recipesIn(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'), Number.parseInt(newest, 10) + 1)
const touched = new Map<Recipe, string[]>()
let checkout: FreshCheckout
beforeAll(async () => {
  checkout = freshCheckout(root)
  for (const recipe of recipes) {
    const before = checkout.digests()
    for (const block of recipe.blocks) apply(block, checkout)
    for (const words of recipe.commands.filter(([command]) => command !== 'vitest')) {
      const failure = await failureOf(...words)
      if (failure !== '') throw new Error(failure)
    }
    const after = checkout.digests()
    const paths = new Set([...before.keys(), ...after.keys()])
    touched.set(
      recipe,
      [...paths].filter((path) => before.get(path) !== after.get(path)),
    )
  }
}, LIMIT_MS)
afterAll(() => checkout[Symbol.asyncDispose](), LIMIT_MS)

/** Runs a command in the checkout: how it failed, with all its output; empty when it has not. */
async function failureOf(command = '', ...args: readonly string[]): Promise<string> {
  const { code, output } = await checkout.run(command, ...args)
  return code === 0 ? '' : `${[command, ...args].join(' ')} ended with ${code}:\n${output}`
}

test('there is a recipe for each thing that is often added', () => {
  const names = ['a node type', 'an endpoint', 'a verb', 'a migration', 'a slice']
  expect(recipes.map(({ name }) => name)).toEqual(names.map((name) => `Add ${name}`))
})

describe.each(recipes.map((recipe) => [recipe.name, recipe] as const))('%s', (_name, recipe) => {
  test('touches exactly the files that it names', () => {
    expect(touched.get(recipe)?.toSorted()).toEqual(recipe.touches.toSorted())
  })

  test('names each file before its block, for readers of the rendered page', () => {
    for (const { title, before } of recipe.blocks) expect(before).toContain(`\`${title}\``)
  })

  test('ends with its own tests', () => {
    expect(recipe.commands.at(-1)?.slice(0, 2)).toEqual(['vitest', 'run'])
  })
})

const commands = recipes.flatMap((recipe) => recipe.commands.filter(([command]) => command === 'vitest'))
const picked = commands.filter((words) => words.includes('-t'))
const whole = commands.filter((words) => !picked.includes(words)).flatMap((words) => words.slice(2))
const vitest = ['vitest', 'run', '--project', 'unit', '--project', 'light', '--project', 'service', '--maxWorkers', '1']
const files = (): string[] => [...touched.values()].flat()
const sources = (): string[] => files().filter((path) => path.endsWith('.ts') && !path.includes('/generated/'))

/** Checks one after the other, with what they are called by in the list of all checks. */
const checks: [names: string, commands: () => string[][]][] = [
  [
    'types and lint',
    () => [
      ['tsc', '-p', 'tsconfig.json'],
      ['oxlint', '--type-aware', '--quiet', ...sources()],
    ],
  ],
  [
    'boundaries, unused, generated, format and its own tests',
    () => [
      ['depcruise', 'packages', 'test', '--config', '.dependency-cruiser.mjs', '--output-type', 'err'],
      ['knip'],
      ['npm', 'run', 'generate', '--', '--check'],
      ['oxfmt', '--check', ...files()],
      [...vitest, ...whole],
      [...vitest, ...picked.map((words) => words[2] ?? ''), '-t', picked.map((words) => words.at(-1)).join('|')],
    ],
  ],
]

describe('a project to which all of it was added', { concurrent: true, timeout: LIMIT_MS }, () => {
  test.each(checks)('passes %s', async (_names, commands) => {
    for (const words of commands()) expect(await failureOf(...words)).toBe('')
  })
})
