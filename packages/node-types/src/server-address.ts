/**
 * Addresses of servers in settings.
 * @module
 */
import type { NodeFinding } from '@flow-service/connector-sdk'

import { shownAddress } from './shown-address.ts'

/** What is wrong with the address of a server in a setting. */
export function addressFindings(setting: string, address: string): NodeFinding[] {
  const found = (message: string): NodeFinding[] => [{ code: 'bad_setting', path: `/settings/${setting}`, message }]
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol))
    return found(`"${shownAddress(address)}" is no address of a server; use a full http:// or https:// URL`)
  if (url.username || url.password) return found('the URL holds a user name or password; set a token instead')
  return url.search || url.hash ? found('the URL of a server ends with its path; leave out what follows it') : []
}
