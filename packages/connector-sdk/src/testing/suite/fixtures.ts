/**
 * What an author tells the contract suite about a connector.
 * @module
 */
import type { ConnectorClass } from '../../connector-node.ts'
import type { Values } from '../../node.ts'
import type { FakePorts } from '../fake-context.ts'
import type { FakeNetworkOptions } from '../fake-network.ts'
import type { Mounted } from '../mounted.ts'

/** What the device of a connector says, and what the connector makes of it. */
export interface ContractFixtures<C extends ConnectorClass> extends Pick<
  FakeNetworkOptions,
  'fetch' | 'connect' | 'certificate'
> {
  /** Its name in the catalogue; `connector` unless given. */
  readonly type?: string
  /** Values of the secrets that `params` name; made up unless given. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Ports of its nodes; those that the class declares unless given. */
  readonly inputs?: FakePorts
  readonly outputs?: FakePorts
  /** What the first reading publishes; null when a reading publishes nothing by design. Anything unless given. */
  readonly reading?: Values | null
  /** What arrives for `write`; made up by the dtypes of the inputs unless given. */
  readonly write?: Values
  /** Has the device say something by itself: the connector is to publish it. */
  readonly push?: (node: Mounted<C>) => void | Promise<void>
  /** Settings that have to be refused, beyond those that the suite makes up. */
  readonly badSettings?: readonly Values[]
  /** True for a connector that pins certificates. */
  readonly pins?: boolean
  /** Resolves when a device that is real has taken what it got; devices in memory need none. */
  readonly settle?: (node: Mounted<C>) => Promise<void>
}
