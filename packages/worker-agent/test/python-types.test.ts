import { readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { parsePython } from '../src/index.ts'
import { python } from './harness.ts'

const read = (name: string): string => readFileSync(new URL(`../python/${name}`, import.meta.url), 'utf8')
const helpers = ['emit', 'load_artifact', 'save_artifact', 'to_numpy']

describe.skipIf(python === null)('the types of the helpers', () => {
  const functions = async (name: string) => {
    const { functions: all, error } = await parsePython(read(name), { python: python as string })
    expect(error).toBeNull()
    return Object.fromEntries(
      all.filter((found) => helpers.includes(found.name)).map((found) => [found.name, found.parameters]),
    )
  }

  test('declare the parameters of the code, and the names that need no import', async () => {
    const declared = await functions('service/__init__.pyi')
    expect(Object.keys(declared).toSorted()).toEqual(helpers)
    expect(declared).toEqual(await functions('service/__init__.py'))
    expect((await parsePython(read('__builtins__.pyi'), { python: python as string })).names).toEqual(helpers)
  })
})
