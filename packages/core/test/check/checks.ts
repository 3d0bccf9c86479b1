/** Node types for the checks of documents, and a check with them. */
import type { FlowDocument, Issue } from '@flow-service/protocol'
import * as z from 'zod'

import { checkDocument, NodeRegistry, type Surroundings } from '../../src/index.ts'
import { pass, type } from '../documents.ts'

const nothing = () => ({})
const code = type('code', nothing, { code: 'python', arrival: 'combine', settings: z.looseObject({}) })
const bundle = type('bundle', nothing, { code: 'typescript', arrival: 'combine' })
const strict = type('strict', nothing, {
  settings: z.object({
    host: z.string(),
    retries: z.int().default(3),
    auth: z.object({ token: z.string() }).optional(),
  }),
})
const listener = type('listener', nothing, { modes: ['live'], ports: { inputs: 'none', outputs: 'any' } })
const fixed = type('fixed', nothing, {
  ports: {
    inputs: 'fixed',
    outputs: 'any',
    fixed: [{ direction: 'input', port: 'wait', dtype: 'float', trigger: false }],
  },
})
const routed = type('routed', nothing, {
  check: ({ outputs }) =>
    outputs.length === 0 ? [{ code: 'unknown_output', message: 'no output', path: '/settings/rules/0' }] : [],
})
const picky = type('picky', nothing, {
  check: () => [
    { code: 'unsupported_ports', message: 'not this input', path: '/inputs/1/trigger' },
    { code: 'dtype_mismatch', message: 'not this output', path: '/outputs/0' },
  ],
})
const faulty = type('faulty', nothing, {
  check() {
    throw new Error('own fault')
  },
})
const owning = type('owning', nothing, {
  settings: z.object({ things: z.array(z.string()) }),
  claims: ({ settings: { things } }) => (things as string[]).map((thing) => `thing ${thing}`),
})
const answering = type('answering', nothing, { routes: true })
const registry = new NodeRegistry([
  answering,
  owning,
  picky,
  faulty,
  pass,
  code,
  bundle,
  strict,
  listener,
  fixed,
  routed,
])

export const check = (document: FlowDocument, around?: Surroundings): Issue[] =>
  checkDocument(document, registry, around)
/** The issues as `severity code path`. */
export const found = (document: FlowDocument, around?: Surroundings): string[] =>
  check(document, around).map(({ severity, code: issue, path }) => `${severity} ${issue} ${path}`)
