/**
 * A tool is data, as an endpoint is: a name, what it needs and takes, what it answers, and one function.
 * @module
 */
import type { Client } from '@flow-service/client-sdk'
import type { Scope } from '@flow-service/protocol'
import type * as z from 'zod'

/** What a tool does, for programs that ask people first (tool annotations of the protocol). */
interface Hints {
  readonly readOnly: boolean
  /** Changes or ends something that is there. */
  readonly destructive?: boolean
  /** Once more with the same input is as good as once. */
  readonly idempotent?: boolean
  /** Executes flows, whose nodes may reach anything. */
  readonly openWorld?: boolean
}

interface ToolCall<I> {
  readonly input: I
  /** Signed in as the agent: what it may not do is refused by the service. */
  readonly client: Client
  /** Aborted when the agent does not wait any more. */
  readonly signal: AbortSignal
}

interface ToolAnswer<O> {
  /** For the model: the most important first. */
  readonly text: string
  /** For programs; `next` is where the next page begins. */
  readonly value: O & { readonly next: string | null }
}

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly title: string
  /** For the model: what it is for, what it needs to know, and what comes next. */
  readonly description: string
  /** What the token has to cover. */
  readonly scope: Scope
  readonly hints: Hints
  readonly input: I
  readonly output: O
  /** Refuses by throwing a `ToolRefusal`, or an `ApiError` of the client. */
  readonly run: (call: ToolCall<z.output<I>>) => Promise<ToolAnswer<z.input<O>>>
}

/** A tool. */
export type Tool = ToolDefinition<z.ZodObject, z.ZodObject>

/** Declares a tool. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(definition: ToolDefinition<I, O>): Tool =>
  // `run` gets what `input` gave; a list of tools cannot say so
  definition as unknown as Tool
