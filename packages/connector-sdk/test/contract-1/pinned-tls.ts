import type { Agent } from 'node:https'

import type { NodeContext } from './context.ts'
import type { CertificatePin } from './socket.ts'
import type { ConnectorStore } from './store.ts'
export declare class PinError extends Error {
  readonly name = 'PinError'
  readonly fingerprint: string
  readonly key: string
  constructor(message: string, { fingerprint, key }: Pick<PinError, 'fingerprint' | 'key'>)
}
export declare function pinnedTls(store: ConnectorStore, address: string): Promise<CertificatePin>
export declare function pinnedAgent({ connect }: Pick<NodeContext, 'connect'>, pin: CertificatePin): Agent
