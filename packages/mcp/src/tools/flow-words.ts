/**
 * What tools about flows have in common.
 * @module
 */
import { nameSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { line } from '../words.ts'

/** The name of a flow. */
export const flowName = nameSchema.describe('The name of the flow.')

/** Issues of a page. */
export const MAX_ISSUES = 50

/** What is wrong with a flow. */
export const issueSchema = z.object({
  severity: z.string().describe('error: it cannot be published or run.'),
  code: z.string(),
  message: z.string(),
  node: z.string().nullable(),
  path: z.string().nullable().describe('Where in the document, as a JSON Pointer.'),
})

type Issue = z.infer<typeof issueSchema>

/** Issues as they are told. */
export const issuesOf = (issues: readonly Issue[]): Issue[] =>
  issues.map(({ severity, code, message, node, path }) => ({
    severity,
    code,
    message: line(message, 500),
    node,
    path: path === null ? null : line(path, 200),
  }))

/** An issue in one line. */
export const issueLine = ({ severity, node, message }: Issue): string =>
  `${severity}${node === null ? '' : ` in ${node}`}: ${message}`

/** Errors first. */
export const bySeverity = <T extends { readonly severity: string }>(issues: readonly T[]): T[] =>
  issues.toSorted((a, b) => rank(a) - rank(b))

const order = ['error', 'warning', 'advisory']
const rank = ({ severity }: { readonly severity: string }): number => order.indexOf(severity)
