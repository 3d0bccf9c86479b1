/**
 * Typed constructor of `push`.
 * @module
 */
import { nodeType, type SecretRef, t, type TypedNode } from '@flow-service/flow-sdk'

import type { NoPorts } from '../../constructor-ports.ts'

/** Options of {@link push}. */
export interface PushOptions {
  readonly topic: string
  /** URL of the server; `https://ntfy.sh` unless given. */
  readonly server?: string
  readonly title?: string
  readonly priority?: 'min' | 'low' | 'default' | 'high' | 'urgent'
  readonly tags?: readonly string[]
  /** For a protected topic. */
  readonly token?: string | SecretRef
  /** Seconds to wait for the answer; 10 unless given. */
  readonly timeout?: number
}

/**
 * Send each value as a notification; an object with a `message` may bring its own title, priority and tags. Port: `value`.
 * @example use(push({ topic: 'greenhouse', priority: 'high', token: secret('push') }), { value: alarm })
 */
export const push = ({ tags, ...settings }: PushOptions): TypedNode<{ readonly value: typeof t.any }, NoPorts> =>
  nodeType('push', { in: { value: t.any }, out: {}, settings: { ...settings, tags: tags?.join(',') } })
