/**
 * What node code of a run returns, with bytes behind all of its references. A reference is data like any other: code can
 * make one up, or return one whose upload has failed. Nodes behind it would fail, and not the one that is at fault.
 * @module
 */
import { type CodeCall, CodeError } from '@flow-service/core'
import { type ArtifactRef, artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'

type Values = Record<string, unknown>

/** What is called, and who knows the bytes. */
export interface StoredOutputsDeps {
  readonly execute: (call: CodeCall) => Promise<Values>
  readonly artifacts: Pick<Artifacts, 'known'>
}

/**
 * Executes a call; rejects as that does, and with the error `missing_artifact` when an output refers to bytes that are not
 * here. Volatile bytes may be gone by then without a fault of the code.
 */
export async function storedOutputs(call: CodeCall, { execute, artifacts }: StoredOutputsDeps): Promise<Values> {
  const outputs = await execute(call)
  const refs = Object.entries(outputs).flatMap(([port, value]) => stored(value).map((ref) => ({ port, ...ref })))
  if (refs.length === 0) return outputs
  const known = await artifacts.known([...new Set(refs.map(({ digest }) => digest))])
  const lost = refs.find(({ digest }) => !known.has(digest))
  if (lost === undefined) return outputs
  const remedy = 'return what save_artifact() gives'
  const text = `output "${lost.port}" refers to an artifact ${lost.digest} that is not stored; ${remedy}`
  throw new CodeError('missing_artifact', text, null)
}

const stored = (value: unknown): ArtifactRef[] => artifactRefsIn(value).filter(({ volatile }) => !volatile)
