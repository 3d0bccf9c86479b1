/**
 * A call of the code of a node: what a context (`ctx.call`) asks its host for, in live flows and in runs.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument, FlowNode } from '@flow-service/protocol'

import type { ContextOwner } from './context-owner.ts'
import { failureOf } from './failure.ts'
import { type CodeCall, CodeError, type Host } from './host.ts'
import { withSecrets } from './secrets.ts'

/** Who calls. */
interface Caller {
  readonly host: Pick<Host, 'newId' | 'secrets'>
  readonly document: FlowDocument
  readonly owner: ContextOwner
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
}

/** The call, with the values of the secrets that the node names. Throws a {@link CodeError} for one that is not there. */
export function codeCall(inputs: Values, { host, document, owner, signal, isClosed }: Caller): CodeCall {
  const id = host.newId()
  return {
    document,
    node: nodeWithSecrets(owner.node, host),
    id,
    run: owner.run,
    inputs,
    attempt: owner.attempt ?? 1,
    seed: seedOf(inputs) ?? owner.seed?.(id) ?? id,
    signal,
    onEmit: (values, atMs) => {
      if (isClosed()) throw new CodeError('cancelled', 'the node has stopped', null)
      owner.emit(values, atMs)
    },
    behind: () => owner.behind?.(),
    onLog: (stream, text) => owner.log(stream, text),
    onArtifact: (ref) => owner.saved?.(ref),
    onPlace: (place) => owner.placed(place),
  }
}

function nodeWithSecrets(node: FlowNode, { secrets }: Pick<Host, 'secrets'>): FlowNode {
  try {
    return { ...node, settings: withSecrets(node.settings, secrets) as FlowNode['settings'] }
  } catch (error) {
    throw new CodeError('MissingSecret', failureOf(error).message, null)
  }
}

const seedOf = ({ seed }: Values): string | null =>
  seed === undefined || seed === null ? null : typeof seed === 'string' ? seed : JSON.stringify(seed)
