/**
 * The ports that a connector declares, and the values that they carry.
 * @module
 */
import type { ArtifactRef, Dtype } from '@flow-service/protocol'

import type { NodePort, Values } from './node.ts'

/** Dtypes by port name. A connector that declares none takes whatever ports its nodes have. */
export interface ConnectorPorts {
  /** What `write` may get. */
  readonly inputs?: Readonly<Record<string, Dtype>>
  /** What `poll`, `write` and `inject` may give. */
  readonly outputs?: Readonly<Record<string, Dtype>>
}

interface ValueTypes {
  readonly any: unknown
  readonly float: number
  readonly int: number
  readonly str: string
  readonly bool: boolean
  readonly object: Readonly<Record<string, unknown>>
  readonly array: readonly unknown[]
  readonly image: ArtifactRef
  readonly media: ArtifactRef
  readonly artifact: ArtifactRef
}

type Declared<D> = { readonly [K in keyof D]?: D[K] extends Dtype ? ValueTypes[D[K]] : never }
type Ports<D> = D extends Readonly<Record<string, Dtype>> ? Declared<D> : Readonly<Record<string, unknown>>

/** Values by input port, each port that has something new. Any port has any value where none are declared. */
export type InputsOf<P extends ConnectorPorts> = Ports<P['inputs']>
/** Values by output port; ports that have nothing new are left out. */
export type OutputsOf<P extends ConnectorPorts> = Ports<P['outputs']>

/** Who gives values. */
interface Giver {
  readonly outputs: readonly NodePort[]
}

/** Values without those of ports that the type declares and this node does not have; what it does not declare stays. */
export function wanted(values: Values, { outputs: declared }: ConnectorPorts, { outputs }: Giver): Values {
  if (declared === undefined) return values
  const isLeftOut = (name: string): boolean =>
    Object.hasOwn(declared, name) && !outputs.some(({ port }) => port === name)
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isLeftOut(name)))
}
