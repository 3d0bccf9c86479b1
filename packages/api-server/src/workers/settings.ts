/**
 * Settings of attached workers.
 * @module
 */
import { optional, text } from '../process/setting.ts'

const isAttachUrl = (value: string): boolean => {
  const url = URL.parse(value)
  if (!url || !['ws:', 'wss:'].includes(url.protocol) || url.username !== '') return false
  return url.search === '' && url.hash === '' && url.pathname.endsWith('/workers/attach')
}

export const workersSettings = {
  advertiseUrl: optional(text('a ws or wss URL that ends with /workers/attach', isAttachUrl), {
    env: 'SERVICE_ADVERTISE_URL',
    about:
      'Where workers attach to this engine and to no other one, such as wss://one.flows.example/api/v1/workers/attach: workers of the other engines of its database attach here too.',
    initially: 'none: only workers attach here that are given an address of this engine',
  }),
}
