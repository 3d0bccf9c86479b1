/**
 * Typed constructors of `http`.
 * @module
 */
import { type Inputs, nodeType, type Outputs, type SecretRef, type TypedNode } from '@flow-service/flow-sdk'

import type { NoPorts } from '../../constructor-ports.ts'

/** Options of {@link http.webhook}. */
export interface WebhookOptions<O extends Outputs> {
  /** Route path below `/hooks/{flow}/`. */
  readonly url: string
  /** An object feeds the outputs it names; a single output takes anything else whole. */
  readonly out: O
  /** `POST` unless given. */
  readonly method?: 'GET' | 'POST'
  /** Last part of the address; without it anyone may post. */
  readonly secret?: string | SecretRef
  /** Answer once the arrival is on the disk; it is delivered again after a crash. */
  readonly durable?: boolean
}

/** Options of {@link http.request}. */
export interface RequestOptions<I extends Inputs, O extends Outputs> {
  /** Full URL. */
  readonly url: string
  readonly in: I
  /** Keys of the JSON object that the request answers. */
  readonly out?: O
  /** `POST` unless given. */
  readonly method?: 'GET' | 'POST'
  /** Seconds to wait for the answer; 30 unless given. */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string | SecretRef>>
  /** Fixed query parameters; they win over inputs of the same name. */
  readonly query?: Readonly<Record<string, string | number | boolean | SecretRef>>
  /** False: inputs only trigger the request. */
  readonly sendInputs?: boolean
}

/** Webhooks and requests. */
export const http = {
  /**
   * Receive requests while the flow is active.
   * @example const { alert } = use(http.webhook({ url: 'alerts', out: { alert: t.object }, secret: secret('hook') }))
   */
  webhook: <O extends Outputs>({ out, ...settings }: WebhookOptions<O>): TypedNode<NoPorts, O> =>
    nodeType('http', { out, settings }),

  /**
   * Request a URL on each arrival; the outputs are keys of the JSON object it answers.
   * @example use(http.request({ url: 'https://example.com/score', in: { x: t.float }, out: { y: t.float } }), { x })
   */
  request: <I extends Inputs, O extends Outputs = NoPorts>(options: RequestOptions<I, O>): TypedNode<I, O> => {
    const { in: inputs, out, sendInputs, ...settings } = options
    return nodeType('http', {
      in: inputs,
      out: out ?? ({} as O),
      settings: { ...settings, send_inputs: sendInputs },
    })
  },
}
