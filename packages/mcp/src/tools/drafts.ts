/**
 * `validate`, `save_draft` and `publish_flow`: a flow from its first draft on.
 * @module
 */
import { ApiError, type Flow } from '@flow-service/client-sdk'
import { flowDocumentInputSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, nextSchema, pageOf } from '../paging.ts'
import { ToolRefusal } from '../refusal.ts'
import { tool } from '../tool.ts'
import { count, moreBy, report } from '../words.ts'
import { bySeverity, flowName, issueLine, issuesOf, issueSchema, MAX_ISSUES } from './flow-words.ts'

const writable = {
  title: true,
  description: true,
  mode: true,
  inputs: true,
  outputs: true,
  nodes: true,
  resources: true,
  concurrency: true,
} as const

/** A flow document without its name and version, which stand beside it. */
const documentSchema = flowDocumentInputSchema
  .pick(writable)
  .partial()
  // without a default: what is left out is kept
  .extend({ layout: z.record(z.string(), z.json()).optional().describe('Where nodes are drawn; leave it out.') })
  .describe(
    'The whole flow. Nodes are wired by names of messages: what one node writes under a name (a port with direction "output"), others read under that name ("input"). "inputs" are values from outside, for a batch flow its parameters; "outputs" of a batch flow are its result. Give secrets as {"$secret": "NAME"}.',
  )

/** `validate`. */
export const validate = tool({
  name: 'validate',
  title: 'Check a flow',
  description:
    'What is wrong with a flow: without "document", with what is stored as its draft; with one, with that document, which is not stored (this takes the scope flows:write). A flow with errors can be saved as a draft, and neither be tried nor published.',
  scope: 'flows:read',
  hints: { readOnly: true },
  input: z.strictObject({ name: flowName, document: documentSchema.optional(), cursor: cursorSchema }),
  output: z.object({
    valid: z.boolean().describe('No errors; there may be warnings.'),
    errors: z.int(),
    issues: z.array(issueSchema).describe('Errors first.'),
    next: nextSchema,
  }),
  async run({ client, input: { name, document, cursor }, signal }) {
    const { issues } = document
      ? await client.flows.validate(name, document as never, { signal })
      : await client.flows.get(name, { signal })
    const sorted = bySeverity(issues)
    const errors = issues.filter(({ severity }) => severity === 'error').length
    const { rows, next } = pageOf(sorted, cursor, MAX_ISSUES)
    const what = document ? 'The document' : `Flow ${name}`
    const others = issues.length - errors
    const head =
      errors > 0
        ? `${what} has ${count(errors, 'error')}${others > 0 ? ` and ${count(others, 'further issue')}` : ''}:`
        : `${what} is valid${others > 0 ? `, with ${count(others, 'warning')}:` : '.'}`
    return {
      text: report([head], rows.map(issueLine), moreBy('validate', next)),
      value: { valid: errors === 0, errors, issues: issuesOf(rows), next },
    }
  },
})

/** `save_draft`. */
export const saveDraft = tool({
  name: 'save_draft',
  title: 'Save a draft',
  description:
    'Writes the draft of a flow in place of the one before; nothing runs by that, and what is published stays. "version" is that of get_flow, and 0 for a flow that is not there yet: when somebody saved meanwhile, it is refused. Ask find_node_types for the settings of each type first. Example of a document: {"mode": "batch", "inputs": [{"name": "n", "dtype": "float", "initial": 2}], "nodes": [{"id": "scale", "type": "change", "settings": {"scale": 10}, "ports": [{"direction": "input", "name": "n", "dtype": "float"}, {"direction": "output", "name": "scaled", "dtype": "float"}]}], "outputs": [{"name": "scaled"}]}. Next: mend the issues that come back, then try_draft.',
  scope: 'flows:write',
  hints: { readOnly: false, destructive: true },
  input: z.strictObject({
    name: flowName,
    version: z.int().min(0).describe('The version that you have read; 0: the flow is new.'),
    document: documentSchema,
  }),
  output: z.object({
    name: z.string(),
    version: z.int().describe('For the next save_draft or publish_flow.'),
    published_version: z.int().nullable(),
    errors: z.int(),
    issues: z.array(issueSchema),
    next: nextSchema,
  }),
  async run({ client, input: { name, version, document }, signal }) {
    // a layout that is left out stays as it is
    const flow = await client.flows.save(name, { ...document, version } as never, { signal })
    return saved(flow)
  },
})

function saved({ name, version, issues, published_version: published }: Flow) {
  const sorted = bySeverity(issues)
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const wrong = errors === 0 ? 'no errors: try it with try_draft' : `${count(errors, 'error')} to mend`
  return {
    text: report([`Saved the draft of ${name} as version ${version}; ${wrong}.`], sorted.map(issueLine)),
    value: {
      name,
      version,
      published_version: published,
      errors,
      issues: issuesOf(sorted.slice(0, MAX_ISSUES)),
      next: sorted.length > MAX_ISSUES ? String(MAX_ISSUES) : null,
    },
  }
}

/** `publish_flow`. */
export const publishFlow = tool({
  name: 'publish_flow',
  title: 'Publish a flow',
  description:
    'Makes the draft the published form: an active live flow goes on with it at once, runs are submitted with it from now on. Try it before, and publish only what you were asked to. "version" is the one that you have saved or read.',
  scope: 'flows:publish',
  hints: { readOnly: false, destructive: true, openWorld: true },
  input: z.strictObject({ name: flowName, version: z.int().min(1).describe('The version of the draft.') }),
  output: z.object({
    name: z.string(),
    version: z.int(),
    status: z.string(),
    rebuilt: z.array(z.string()).describe('Nodes of the live flow that began anew.'),
    next: nextSchema,
  }),
  async run({ client, input: { name, version }, signal }) {
    const { status, rebuilt, ...flow } = await client.flows.publish(name, { version, signal }).catch(explained(name))
    const live = flow.mode === 'live' && status !== 'active' ? ' It is not started by that.' : ''
    return {
      text: report(
        [`Published version ${flow.version} of ${name}; it is ${status}.${live}`],
        [...(rebuilt.length > 0 ? ['Began anew:'] : []), ...rebuilt],
      ),
      value: { name: flow.name, version: flow.version, status, rebuilt: rebuilt.slice(0, 100), next: null },
    }
  },
})

/** An agent that may not publish is told what becomes of its draft. */
const explained =
  (name: string) =>
  (error: unknown): never => {
    if (error instanceof ApiError && error.problem.code === 'not_found')
      throw new ToolRefusal('not_found', error.problem.detail, { remedy: `save the draft of ${name} first` })
    throw error
  }
