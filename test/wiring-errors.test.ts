/**
 * What the compiler says of mistakes in the wiring. Each mistake in `fixtures/wiring-errors` stands below a comment with the
 * first line of its error.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = 'test/fixtures/wiring-errors'
const mark = '// tsc: '

/** By file, the first line of each error behind the number of its line; those that follow are indented. */
async function errorsOf(): Promise<Map<string, string[]>> {
  const stdout = await new Promise<string>((resolve) => {
    const tsc = join(root, 'node_modules/.bin/tsc')
    execFile(tsc, ['-p', folder, '--pretty', 'false'], { cwd: root }, (_failed, out) => resolve(out))
  })
  const errors = new Map<string, string[]>()
  for (const line of stdout.split(/\r?\n/)) {
    if (line === '' || line.startsWith(' ')) continue
    const [, path = line, at = '', message = ''] = /^(.+)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
    errors.set(path, [...(errors.get(path) ?? []), `${at}: ${message}`])
  }
  return errors
}

const files = ['constructors', 'params', 'stages', 'wires'].map((name) => `${folder}/${name}.ts`)

test('the first line of an error of wiring names what is wrong and what is expected', async () => {
  const errors = await errorsOf()
  expect([...errors.keys()].toSorted()).toEqual(files)
  for (const file of files) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    const expected = lines.flatMap((line, index) =>
      line.trim().startsWith(mark) ? [`${index + 2}: ${line.trim().slice(mark.length)}`] : [],
    )
    expect(errors.get(file)).toEqual(expected)
    for (const line of errors.get(file) ?? []) {
      expect(line).not.toMatch(/No overload|\[\w+\]|exactOptionalPropertyTypes|IteratorResult/)
      expect(line.length).toBeLessThan(320)
    }
  }
})
