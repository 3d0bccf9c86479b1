import type { Router } from 'express'

import type { SaveOptions } from './context.ts'
import type { NodeFinding, NodePort, NodeShape } from './node.ts'
import type { ConnectorStore } from './store.ts'
import type { ArtifactRef, Dtype, Health } from './words.ts'
/** What a connector of settings `C`, inputs `I` and outputs `O` can do and is asked for. */
export interface ConnectorInstance<C, I, O> {
  readonly config: C
  readonly store: ConnectorStore
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
  poll(): Promise<O | null>
  write(inputs: I): Promise<O | null | void>
  start(app?: Router): Promise<void>
  stop(app?: Router): Promise<void>
  inject(values: O): void
  saveArtifact(data: Uint8Array, options?: SaveOptions): Promise<ArtifactRef>
  reportHealth(status: Health, message?: string): void
  readNow(): Promise<void>
}
export interface ConnectorStatics {
  readonly title: string
  readonly description: string
  readonly idempotent: boolean
  readonly ports: {
    readonly inputs?: Readonly<Record<string, Dtype>>
    readonly outputs?: Readonly<Record<string, Dtype>>
  }
  readonly openRoutes: readonly string[]
  check(shape: NodeShape): readonly NodeFinding[]
}
export interface SecretRef {
  readonly $secret: string
}
/** Values of the dtypes, as a connector gets and gives them. */
export interface Values {
  readonly any?: unknown
  readonly float?: number
  readonly int?: number
  readonly str?: string
  readonly bool?: boolean
  readonly object?: Readonly<Record<string, unknown>>
  readonly array?: readonly unknown[]
  readonly image?: ArtifactRef
  readonly media?: ArtifactRef
  readonly artifact?: ArtifactRef
}
