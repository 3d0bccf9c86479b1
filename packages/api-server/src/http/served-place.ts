/**
 * By which address clients reach the service, where what it answers depends on that.
 * @module
 */
import type { Request } from 'express'

import { originOf } from './address.ts'
import { ProblemError } from './errors.ts'
import { isKnownHost, type KnownHosts } from './known-host.ts'

/** What is configured of addresses. */
export interface PlaceConfig extends KnownHosts {
  readonly trustProxy: number
}

/**
 * The address of the API, `https://host/mount/api/v1`, for a request to the router of the service. Refuses with `forbidden` a
 * name that the service does not know as its own: a page of another site can have its name lead to this machine.
 */
export function servedBaseUrl(request: Request, config: PlaceConfig): string {
  const origin = originOf(request, config.trustProxy)
  if (!isKnownHost(origin, config))
    throw new ProblemError(
      'forbidden',
      `the service does not know ${JSON.stringify(origin)} as its own: set SERVICE_BASE_URL to the URL of its API`,
    )
  return config.baseUrl ?? `${origin}${request.baseUrl}/api/v1`
}
