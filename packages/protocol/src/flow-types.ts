/**
 * Types of flows written in TypeScript, so that client and engine can be typed by flow objects (wire decision G64).
 * The values are made by `@flow-service/flow-sdk`.
 * @module
 */
import type { ArtifactRef } from './artifact.ts'
import type { Dtype } from './dtype.ts'
import type { FlowDocumentInput } from './flow.ts'

declare const itsValues: unique symbol

/** A message of a flow, and the type of its values. */
export interface Ref<out T> {
  /** Qualified name: `<flow>.<message>`. */
  readonly message: string
  readonly dtype: Dtype
  /** For the compiler alone; required, as its errors would speak of `undefined` otherwise. */
  readonly [itsValues]: T
}

/** How a stage or function node of TypeScript is called; held by the definition, never by the wire. */
export interface CodeContext {
  /** Publish a value on a streaming port (batch) or any output port (live). */
  emit(port: string, value: unknown): void
  saveArtifact(
    data: Uint8Array | string,
    options?: { name?: string; mediaType?: string; volatile?: boolean },
  ): Promise<ArtifactRef>
  loadArtifact(ref: ArtifactRef | string): Promise<Uint8Array>
  /** Aborted on cancel, silence timeout and stop. */
  readonly signal: AbortSignal
  /** Seeded generator of numbers in [0, 1): equal seeds give equal numbers. */
  random(): number
  log(message: string, fields?: Record<string, unknown>): void
  /** The run's id; `null` in live flows. */
  readonly run: string | null
  /** Identifies this execution, for idempotent effects outside. */
  readonly delivery: string
}

/** Executable form of a `stage` or `node`: arguments are inputs and settings in one object. */
export type CodeFunction = (args: Record<string, unknown>, ctx: CodeContext) => unknown

/** What a flow object holds beside its types. */
export interface FlowObject {
  readonly kind: 'flow'
  readonly name: string
  /** The document as it would be sent to `PUT /flows/{name}`, but for `code` entries, which registration adds. */
  readonly document: FlowDocumentInput
  /** Definitions behind `code` and `python` nodes, by node id. */
  readonly definitions: ReadonlyMap<string, Definition>
}

/** A definition made by `stage`, `node` or `python`: a module-level export of the author's code. */
export interface Definition {
  readonly kind: 'stage' | 'node' | 'python'
  readonly id: string
  /** Stage and node: the function. */
  readonly run?: CodeFunction
  /** Stage and node: checks and fills the settings before a call. */
  readonly settings?: { parse(value: unknown): unknown }
  /** Initial values of passive inputs, by port. */
  readonly initials: Readonly<Record<string, unknown>>
  /** Python: path as the author wrote it. */
  readonly file?: string
  /** Stands for the code of an object registered without a bundle; without it nothing is cached. */
  readonly version?: string
}

/** A batch flow: `P` are its parameters, `R` its result. */
export interface BatchFlow<out P, out R> extends FlowObject {
  readonly mode: 'batch'
  readonly '~params'?: P
  readonly '~result'?: R
}

/** A live flow: `M` are its messages by name. */
export interface LiveFlow<out M> extends FlowObject {
  readonly mode: 'live'
  /** The flow's messages, for `publish` and `subscribe`. */
  readonly messages: M
}

/** Any flow written in TypeScript. */
export type AnyFlow = BatchFlow<unknown, unknown> | LiveFlow<unknown>

/** Parameters of a batch flow. */
export type ParamsOf<F> = F extends BatchFlow<infer P, unknown> ? P : never
/** Result of a batch flow; a skipped output is null. */
export type ResultOf<F> = F extends BatchFlow<unknown, infer R> ? R : never
