/**
 * By which address clients reach the service, and whether it is one of its own: a page of another site can have its name lead
 * to this machine, and would speak with the service under that name.
 * @module
 */
import { isIP } from 'node:net'

import type { Request } from 'express'

import { isLoopbackAddress, originOf } from './address.ts'
import { ProblemError } from './errors.ts'

/** What is configured of addresses. */
export interface PlaceConfig {
  /** Where clients reach the API; null when that is whatever their requests say. */
  readonly baseUrl: string | null
  readonly trustProxy: number
}

/**
 * The address of the API, `https://host/mount/api/v1`, for a request to the router of the service. Refuses with `forbidden` a
 * host that is not the configured one or, where none is configured, no address and no name of this machine.
 */
export function servedBaseUrl(request: Request, { baseUrl, trustProxy }: PlaceConfig): string {
  const origin = originOf(request, trustProxy)
  const { host, hostname } = URL.parse(origin) ?? { host: '', hostname: '' }
  const address = hostname.replaceAll(/^\[|\]$/g, '')
  const isOwn = hostname === 'localhost' || isLoopbackAddress(address) || (baseUrl === null && isIP(address) !== 0)
  if (!isOwn && (baseUrl === null || new URL(baseUrl).host !== host))
    throw new ProblemError('forbidden', `this service is not "${host}": set SERVICE_BASE_URL if it is`)
  return baseUrl ?? `${origin}${request.baseUrl}/api/v1`
}
