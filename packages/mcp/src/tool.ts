/**
 * A tool is data, as an endpoint is: a name, what it needs and takes, what it answers, and one function.
 * @module
 */
import type { Client } from '@flow-service/client-sdk'
import type { Scope } from '@flow-service/protocol'
import * as z from 'zod'

/** What a tool does to the service, for clients that ask people first (MCP, tool annotations). */
interface Hints {
  readonly readOnly: boolean
  /** Changes or ends something that is there. */
  readonly destructive?: boolean
  /** Once more with the same input is as good as once. */
  readonly idempotent?: boolean
}

/** What a tool works on. */
interface ToolCall<I> {
  readonly input: I
  /** Signed in as the agent: what it may not do is refused by the service. */
  readonly client: Client
  /** Aborted when the agent does not wait any more. */
  readonly signal: AbortSignal
}

/** What a tool answers. */
interface ToolAnswer<O> {
  /** For the model: the most important first. */
  readonly text: string
  /** For programs. */
  readonly value: O
}

/** The definition of a tool. */
export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly title: string
  /** For the model: what it is for, when to use it, and what comes next. */
  readonly description: string
  /** What the token has to cover. */
  readonly scope: Scope
  readonly hints: Hints
  readonly input: I
  readonly output: O
  readonly run: (call: ToolCall<z.output<I>>) => Promise<ToolAnswer<z.input<O> & Paged>>
}

/** A tool whose input is not parsed yet. */
export type Tool = ToolDefinition<z.ZodObject, z.ZodObject>

interface Paged {
  readonly next: string | null
}

/** Where the next page of an answer begins. */
export const nextSchema = z.string().nullable().describe('Pass it as cursor to get more; null: this is all.')

/** The cursor that a tool takes. */
export const cursorSchema = z.string().max(2000).optional().describe('The "next" of the answer before.')

/** Declares a tool. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(definition: ToolDefinition<I, O>): Tool =>
  // `run` is called with what `input` gave
  definition as unknown as Tool
