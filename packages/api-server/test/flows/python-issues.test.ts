import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import type { ParsedSource } from '@flow-service/worker-agent'
import { expect, test } from 'vitest'

import { createPythonIssues } from '../../src/flows/python-issues.ts'

const sound: ParsedSource = {
  functions: [{ name: 'run', line: 1, parameters: [], decorated: false }],
  names: [],
  error: null,
}
const broken: ParsedSource = { functions: [], names: [], error: { message: 'broken', line: 1 } }

const flowOf = (sources: readonly string[]) => {
  const nodes = sources.map((source, at) => ({ id: `n${at}`, type: 'python', source }))
  return normalizeDocument('f', flowDocumentInputSchema.parse({ nodes }))
}

test('many sources are parsed a few at a time, and each of them once [T77]', async () => {
  const parsed: string[] = []
  let running = 0
  let most = 0
  const issues = createPythonIssues(async (source) => {
    parsed.push(source)
    most = Math.max(most, (running += 1))
    await new Promise((resolve) => void setImmediate(resolve))
    running -= 1
    return sound
  })
  const sources = Array.from({ length: 300 }, (_, at) => `source ${at % 100}`)
  expect(await issues(flowOf(sources))).toEqual([])
  expect(await issues(flowOf(sources))).toEqual([])
  expect(parsed.toSorted()).toEqual([...new Set(sources)].toSorted())
  expect(most).toBeLessThanOrEqual(4)
})

test('without an interpreter nothing is said, and the source is parsed once there is one', async () => {
  let interpreter: ParsedSource | null = null
  const issues = createPythonIssues(async () => interpreter)
  expect(await issues(flowOf(['x']))).toEqual([])
  interpreter = broken
  expect(await issues(flowOf(['x']))).toMatchObject([{ code: 'bad_source', node: 'n0', path: '/nodes/0/source' }])
})

test('a parse that fails by itself is no issue, and keeps no other source from being parsed', async () => {
  const issues = createPythonIssues(async (source) => {
    if (source === 'unlucky') throw new Error('no process')
    return broken
  })
  const sources = ['unlucky', ...Array.from({ length: 9 }, (_, at) => `${at}`)]
  expect((await issues(flowOf(sources))).map(({ node }) => node)).toEqual(sources.slice(1).map((_, at) => `n${at + 1}`))
})

test('what is wrong with a source of a file is told with the file', async () => {
  const issues = createPythonIssues(
    async () => broken,
    (flow, node) => (flow === 'f' && node === 'n1' ? 'flows/x.py' : null),
  )
  expect((await issues(flowOf(['a', 'b']))).map(({ message }) => message)).toEqual([
    'node "n0": line 1: broken',
    'node "n1": flows/x.py, line 1: broken',
  ])
})
