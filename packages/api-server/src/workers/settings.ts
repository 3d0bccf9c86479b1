/**
 * Settings of attached workers, and of those that the engine starts.
 * @module
 */
import { readPythonEnvironments } from '@flow-service/worker-agent'

import { integer, optional, setting, text } from '../process/setting.ts'

const isAttachUrl = (value: string): boolean => {
  const url = URL.parse(value)
  if (!url || !['ws:', 'wss:'].includes(url.protocol) || url.username !== '') return false
  return url.search === '' && url.hash === '' && url.pathname.endsWith('/workers/attach')
}

const isEnvironments = (value: string): boolean => {
  try {
    readPythonEnvironments(value)
    return true
  } catch {
    return false
  }
}

export const workersSettings = {
  pythonEnvironments: optional(text('name=path, several of them with commas between', isEnvironments), {
    env: 'SERVICE_PYTHON_ENVIRONMENTS',
    about:
      'Interpreters, or folders of virtual environments, that flows ask for by `resources.python`, such as torch=/opt/torch,old=/usr/bin/python3.11. Virtual environments in the project folder and in `pythons` of the data directory count too, by the names of their folders.',
    initially: 'none beside those',
  }),
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
