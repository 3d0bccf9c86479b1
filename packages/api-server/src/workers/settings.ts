/**
 * Settings of attached workers, and of those that the engine starts.
 * @module
 */
import { integer, optional, setting, text } from '../process/setting.ts'

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
  workerResumeS: setting(integer(0, 86_400), {
    env: 'SERVICE_WORKER_RESUME_S',
    about:
      'Seconds that a worker on another machine has to come back when its link was lost or the engine has stopped; until then its batch calls go on, and their runs wait. With 0 they end at once.',
    initial: 0,
  }),
  provisioningPace: setting(integer(1, 1000), {
    env: null,
    about: 'Divides the times after which provisioners look at their clusters again: for tests with real ones.',
    initial: 1,
  }),
}
