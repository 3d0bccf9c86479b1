/** The page of decisions, and the pages of shapes, against what exists. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { nodeTypes } from '@flow-service/node-types'
import { eventFrameSchema, issueCodes, problemCatalogue, WORKER_PROTOCOL } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { errorCataloguePage } from '../../docs-site/scripts/error-catalogue.ts'
import { eventFramesPage } from '../../docs-site/scripts/event-frames.ts'

const root = join(import.meta.dirname, '..', '..')
const docs = join(root, 'docs-site', 'src', 'content', 'docs')
const read = (path: string): string => readFileSync(join(docs, path), 'utf8')

/** Rows of the tables of the page: id, decision, state. */
const rows = [...read('project/decisions.mdx').matchAll(/^\| ([GRS]\d+) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, id = '', decision = '', state = '']) => ({ id, decision, state }),
)
const rowOf = (id: string) => rows.find((row) => row.id === id)

test('every decision that the project has made has one row, with what came of it [R692]', () => {
  const numbered = (letter: string, last: number, digits: number) =>
    Array.from({ length: last }, (_, at) => `${letter}${String(at + 1).padStart(digits, '0')}`)
  const ids = [...numbered('G', 82, 2), ...numbered('R', 9, 1), ...numbered('S', 15, 1)]
  expect(rows.map(({ id }) => id)).toEqual(ids)
  for (const { state } of rows) expect(state).toMatch(/^(built|planned|partly)/)
})

test('every decision that code or tests cite is on the page [R692]', () => {
  const files = globSync(['packages/{*,connectors/*}/{src,test}/**/*.ts', 'test/**/*.ts'], { cwd: root })
  const cited = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(/\bG\d\d\b/g)].map(([id]) => id)
  })
  expect(cited.length).toBeGreaterThan(50)
  expect([...new Set(cited)].filter((id) => rowOf(id) === undefined)).toEqual([])
})

test('every type of node that a decision names exists [R692]', () => {
  const exists = (type: string): boolean => nodeTypes.some((definition) => definition.type === type)
  const built = ['python', 'http', 'inject', 'delay', 'debounce', 'switch', 'change', 'join']
  built.push('mqtt', 'websocket', 'tsdb', 'push', 'rbe', 'mlp', 'exec', 'file', 'device', 'commands_lm')
  expect(built.filter((type) => !exists(type))).toEqual([])
})

test('every code of a refusal and of an issue is documented, with the fields of a refusal [R694]', () => {
  const page = errorCataloguePage().body
  const codes = [...Object.keys(problemCatalogue), ...issueCodes]
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
  const guide = read('guide/http-api.mdx')
  for (const field of ['type', 'title', 'status', 'detail', 'code', 'errors', 'path', 'message']) {
    expect(guide).toContain(`"${field}":`)
  }
  expect(guide).toContain('`current_version`')
})

test('every frame of the event socket is documented with each of its fields [R694]', () => {
  const page = eventFramesPage().body
  for (const { shape } of eventFrameSchema.options) {
    const type = shape.type.value
    const section = page.split(/^## /m).find((text) => text.startsWith(`${type}\n`))
    const fields = Object.keys(shape).filter((field) => !['type', 'seq', 'ts'].includes(field))
    expect(fields.filter((field) => section?.includes(`| \`${field}\` |`) !== true)).toEqual([])
  }
})

test.each([
  [
    'metrics and artifacts of an import',
    'G33',
    ['`name`', '`step`', '`value`', '`ts`', '`media_type`', '`data`', 'base64'],
  ],
  ['how leniently a report is read', 'G44', ['16,384', 'skipped', '`any`', 'the last counts', 'no object']],
  ['how MCP tokens are issued', 'G10', ['Ed25519', 'command', 'scopes', 'audience']],
  ['the number of the worker protocol', 'G54', [`version ${WORKER_PROTOCOL}`]],
])('%s: fixed, and documented [R694]', (_what, id, words) => {
  for (const word of words) expect(rowOf(id)?.decision).toContain(word)
})
