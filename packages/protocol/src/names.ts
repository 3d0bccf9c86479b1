/**
 * Names and their grammar: flows, nodes, messages, ports (wire decision G03).
 * @module
 */
import * as z from 'zod'

import { messageNameRule, nameRule } from './name-rules.ts'

const reference = /^(?:[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.)?[A-Za-z_][A-Za-z0-9_]{0,99}$/
const port = /^(?![\s.])[^/\n\r\0]{1,100}$/

/** Flow names that are words of the address space. */
export const reservedFlowNames: ReadonlySet<string> = new Set(['node-types', 'graph', 'library', 'ws', 'ws-ticket'])

/** Name of a flow, node, device, flavor or library source: letters, digits, `_` and `-`; 1 to 100 characters; no dot. */
export const nameSchema = z.string().regex(nameRule.pattern, nameRule.remedy)

/**
 * A flow of this name has no routes of nodes: below `/connectors/{type}`, the word stands for the state of the type
 * (wire decisions G51, U12).
 */
export const UNROUTED_FLOW_NAME = 'state'

/** Name of a flow: as {@link nameSchema}, without the reserved words. */
export const flowNameSchema = nameSchema.refine((value) => !reservedFlowNames.has(value), {
  error: (issue) => `"${String(issue.input)}" is a reserved name`,
})

/** Bare name of a message: an identifier of up to 100 characters. */
export const messageNameSchema = z.string().regex(messageNameRule.pattern, messageNameRule.remedy)

/** A message as a port names it: bare (`temp`) or qualified with its flow (`climate.temp`). */
export const messageRefSchema = z.string().regex(reference, 'use "message" or "flow.message"')

/** Name of a port: 1 to 100 characters, no `/`, no line break, not beginning with white space or a dot. */
export const portNameSchema = z
  .string()
  .regex(port, 'use 1 to 100 characters without "/" or a line break, not beginning with a space or dot')

/** `<flow>.<message>` of a bare or qualified name. */
export const qualify = (flow: string, ref: string): string => (ref.includes('.') ? ref : `${flow}.${ref}`)

/** The message part of a bare or qualified name. */
export const messagePart = (ref: string): string => ref.slice(ref.indexOf('.') + 1)

/** The flow part of a qualified name. */
export const flowPart = (qualified: string): string => qualified.slice(0, qualified.indexOf('.'))
