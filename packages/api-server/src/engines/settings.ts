/**
 * Settings of engines that share a database.
 * @module
 */
import { integer, isPlace, optional, setting, text } from '../process/setting.ts'

export const enginesSettings = {
  engineLeaseS: setting(integer(2, 300), {
    env: 'SERVICE_ENGINE_LEASE_S',
    about:
      'Seconds after which the live flows of an engine that is not heard of any more go to another engine of its PostgreSQL server. All engines of a database should have the same.',
    initial: 8,
  }),
  engineUrl: optional(text('an http or https URL without query or fragment', isPlace), {
    env: 'SERVICE_ENGINE_URL',
    about:
      'Where the other engines of its PostgreSQL server reach this engine and no other one, such as http://10.0.0.5:8000: in front of the mount where it is mounted in a host. What is asked of an engine that does not run the flow goes there.',
    initially: 'where it listens; a mounted engine is not reached',
  }),
}
