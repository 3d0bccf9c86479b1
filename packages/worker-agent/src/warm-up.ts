/**
 * What a Node process loads and executes before it is ready for calls.
 * @module
 */
import type { CallFrame } from '@flow-service/protocol'

/** A definition that streams a value and draws a number, as most code does. */
export const warmUpBundle = `export const entry = { kind: 'stage', id: 'warm-up', initials: {}, *run(_, ctx) {
  yield { y: ctx.random() }
  return { y: 1 }
} }
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXSwibWFwcGluZ3MiOiIifQ==
`
/** The call that executes it. */
export const warmUpFrame: CallFrame = {
  type: 'call',
  call: '',
  attempt: 1,
  flow: '',
  node: 'warm-up',
  run: null,
  mode: 'live',
  kind: 'code',
  source: '',
  source_digest: '',
  entry: 'entry',
  settings: {},
  inputs: {},
  input_ports: [],
  outputs: [{ port: 'y', dtype: 'float', stream: true }],
  env: {},
  seed: '',
  timeout_s: null,
}
