/**
 * What every operation of the client does with its arguments: names of what is given, options as the wire spells them, and
 * what concerns the request alone. The generated operations call it, and those written by hand.
 * @module
 */

/** A flow by its name, or what has it: a flow object, an answer. */
export type FlowNamed = string | { readonly name: string }
/** A run by its id, or what has it: a handle, an answer. */
export type RunNamed = string | { readonly id: string }
/** A message as `<flow>.<message>`, or its Ref. */
export type MessageNamed = string | { readonly message: string }
/** An artifact by its digest, or its reference. */
export type ArtifactNamed = string | { readonly digest: string }

/** What concerns the request, and is no part of it. */
export interface Request {
  /** Ends the request; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Sent beside those of the client. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request whose answer need not be JSON. */
export interface Received extends Request {
  /** How the body is read: by its media type unless given. */
  readonly parseAs?: 'arrayBuffer' | 'auto' | 'blob' | 'formData' | 'json' | 'stream' | 'text'
}

export const flowName = (flow: FlowNamed): string => (typeof flow === 'string' ? flow : flow.name)
export const runName = (run: RunNamed): string => (typeof run === 'string' ? run : run.id)
export const messageName = (message: MessageNamed): string => (typeof message === 'string' ? message : message.message)
export const artifactName = (artifact: ArtifactNamed): string =>
  typeof artifact === 'string' ? artifact : artifact.digest

/** The part of options that concerns the request. */
export const requestOf = ({ signal, headers, parseAs }: Received): Record<string, unknown> => ({
  ...(signal ? { signal } : {}),
  ...(headers ? { headers } : {}),
  ...(parseAs ? { parseAs } : {}),
})

/**
 * Options by their names on the wire, and `given` beside them. What is undefined is left out; deeper names are the wire's.
 * The type is that of the generated function, which the options are made from.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export function wireOf(options: object, given: Readonly<Record<string, unknown>> = {}): any {
  const { signal: _signal, headers: _headers, parseAs: _parseAs, ...rest } = options as Received
  const named = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [snake(name), plainly(name, value)])
  return { ...Object.fromEntries(named), ...given }
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function plainly(name: string, value: unknown): unknown {
  if (name === 'flow') return flowName(value as FlowNamed)
  return name === 'ids' && Array.isArray(value) ? value.map((run: RunNamed) => runName(run)) : value
}
