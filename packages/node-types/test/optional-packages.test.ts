import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { nodeTypes } from '@flow-service/node-types'
import { expect, test } from 'vitest'

/** Imports the catalogue as an engine does, asks every type what it lacks, and tells which packages that has loaded. */
const script = `
import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({
  load(url, context, next) {
    const name = url.split('/node_modules/').slice(1).at(-1)?.match(/^(@[^/]+\\/)?[^/]+/)?.[0]
    if (name) packages.add(name)
    return next(url, context)
  },
})
const { nodeTypes } = await import('@flow-service/node-types')
const missing = nodeTypes.map((definition) => definition.missing?.() ?? null)
const before = [...packages].sort()
await import('mqtt')
console.log(JSON.stringify({ before, missing, isSeen: packages.has('mqtt') }))
`

test('no optional package is loaded before a node needs it, nor to tell whether it is there [R160] [R167]', async () => {
  const args = ['--conditions=@flow-service/source', '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  expect(JSON.parse(stdout)).toEqual({
    before: ['ws', 'zod'],
    missing: nodeTypes.map(() => null),
    isSeen: true,
  })
})
