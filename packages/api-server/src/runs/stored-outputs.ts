/**
 * What node code of a run returns and emits, with bytes behind all of its references. A reference is data like any other:
 * code can make one up, or give one whose upload has failed. Nodes behind it would fail, and not the one that is at fault.
 *
 * - stored-outputs.R1 an emission is passed on once its references are known, and those after it in their order. What the
 *   code was given or has stored in this call is known without looking, and so is volatile data of which the bytes have
 *   gone since: newer frames push it out without a fault of the code.
 * - stored-outputs.R2 a reference without bytes ends the call, as `missing_artifact`.
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

/** Executes a call; rejects as that does, and with `missing_artifact` for a reference to bytes that are not here. */
export async function storedOutputs(call: CodeCall, { execute, artifacts }: StoredOutputsDeps): Promise<Values> {
  const watched = new WatchedCall(call, artifacts)
  let outputs: Values
  try {
    outputs = await execute(watched.call)
  } catch (error) {
    throw (await watched.settled()) ?? error
  }
  const fault = await watched.settled()
  if (fault !== null) throw fault
  const unknown = watched.unknownIn(outputs)
  if (unknown.length > 0) await assertStored(unknown, artifacts)
  return outputs
}

interface PortRef {
  readonly port: string
  readonly ref: ArtifactRef
}

/** A call whose emissions wait for the references in them. */
class WatchedCall {
  readonly call: CodeCall
  readonly #artifacts: Pick<Artifacts, 'known'>
  readonly #known = new Set<string>()
  readonly #stop = new AbortController()
  /** Looks at references, and the emissions behind them; null when nothing waits. */
  #waiting: Promise<void> | null = null
  #fault: Error | null = null

  constructor(call: CodeCall, artifacts: Pick<Artifacts, 'known'>) {
    this.#artifacts = artifacts
    for (const ref of artifactRefsIn(call.inputs)) this.#know(ref)
    this.call = {
      ...call,
      signal: AbortSignal.any([call.signal, this.#stop.signal]),
      onArtifact: (ref) => {
        this.#know(ref)
        call.onArtifact?.(ref)
      },
      onEmit: (values, atMs) => {
        const unknown = this.unknownIn(values)
        if (this.#waiting === null && unknown.length === 0) call.onEmit(values, atMs)
        else this.#wait(unknown, () => call.onEmit(values, atMs))
      },
      behind: () => this.#waiting ?? call.behind?.(),
    }
  }

  /** References of which it is not known yet whether there are bytes. */
  unknownIn(values: Values): PortRef[] {
    return Object.entries(values)
      .flatMap(([port, value]) => artifactRefsIn(value).map((ref) => ({ port, ref })))
      .filter(({ ref }) => !this.#known.has(keyOf(ref)))
  }

  /** Waits for all emissions; answers what was wrong with one. */
  async settled(): Promise<Error | null> {
    await this.#waiting
    return this.#fault
  }

  #know(ref: ArtifactRef): void {
    this.#known.add(keyOf(ref))
  }

  #wait(unknown: readonly PortRef[], emit: () => void): void {
    const before = this.#waiting
    const done = this.#emit(before, unknown, emit).then(() => {
      if (this.#waiting === done) this.#waiting = null
    })
    this.#waiting = done
  }

  async #emit(before: Promise<void> | null, unknown: readonly PortRef[], emit: () => void): Promise<void> {
    await before
    if (this.#fault !== null || this.call.signal.aborted) return
    try {
      if (unknown.length > 0) await assertStored(unknown, this.#artifacts)
      for (const { ref } of unknown) this.#know(ref)
      emit()
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error(String(error))
      this.#stop.abort(this.#fault)
    }
  }
}

const keyOf = ({ digest, volatile }: ArtifactRef): string => `${volatile ? 'volatile' : 'stored'} ${digest}`

async function assertStored(refs: readonly PortRef[], artifacts: Pick<Artifacts, 'known'>): Promise<void> {
  const known = await artifacts.known([...new Set(refs.map(({ ref }) => ref.digest))])
  const lost = refs.find(({ ref }) => !known.has(ref.digest))
  if (lost === undefined) return
  const remedy = 'give what save_artifact() answers'
  const text = `output "${lost.port}" refers to an artifact ${lost.ref.digest} that is not stored; ${remedy}`
  throw new CodeError('missing_artifact', text, null)
}
