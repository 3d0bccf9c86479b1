/**
 * What the library keeps, in the engine's database. Agents that are let in are rows of their own there, programs too; codes,
 * refresh tokens and sign-ins under way are records.
 * @module
 */
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider'

import type { AuthorizationClient, AuthorizationHost } from './host.ts'
import type { Place } from './place.ts'

/** How long a refresh token counts, in seconds. */
export const REFRESH_S = 30 * 86_400

type Host = Pick<AuthorizationHost, 'endLetIn' | 'extendLetIn' | 'findClient' | 'findLetIn' | 'records'>

/** Adapters over a host, at a place. */
export const createAdapter =
  (host: Host, { issuer, resource }: Place): AdapterFactory =>
  (kind) => {
    switch (kind) {
      case 'Client':
        return { ...nothing, find: async (id) => clientOf(await host.findClient(id)) }
      case 'Grant':
        return { ...nothing, find: (id) => grantOf(host, id, resource), destroy: (id) => host.endLetIn(id) }
      case 'Session':
        // nobody stays signed in here: each program is let in by a password
        return nothing
      default:
        return records(host, kind, issuer)
    }
  }

const nothing: Adapter = {
  async upsert() {},
  async find() {},
  async findByUserCode() {},
  async findByUid() {},
  async consume() {},
  async destroy() {},
  async revokeByGrantId() {},
}

const clientOf = (client: AuthorizationClient | null): AdapterPayload | undefined =>
  client === null
    ? undefined
    : { client_id: client.id, client_name: client.name, redirect_uris: [...client.redirectUris] }

async function grantOf(host: Host, id: string, resource: string): Promise<AdapterPayload | undefined> {
  const letIn = await host.findLetIn(id)
  if (letIn?.clientId == null) return undefined
  const { account: accountId, clientId, createdAt: iat, expiresAt: exp } = letIn
  const payload = { kind: 'Grant', jti: id, accountId, clientId, iat, exp }
  return { ...payload, resources: { [resource]: letIn.scopes.join(' ') } } as AdapterPayload
}

function records(host: Host, kind: string, issuer: string): Adapter {
  return {
    ...nothing,
    async upsert(id, payload, lifetimeS = 0) {
      const grant = payload.grantId ?? null
      // an agent that goes on refreshing its tokens stays let in
      if (kind === 'RefreshToken' && grant !== null) await host.extendLetIn(grant, REFRESH_S)
      const { jti: _id, returnTo: _resume, ...rest } = payload
      await host.records.save({ kind, id, payload: rest, grant, lifetimeS })
    },
    async find(id) {
      const found = await host.records.find(kind, id)
      if (!found) return
      // the two members that name the id are not kept
      const resume = kind === 'Interaction' ? { returnTo: `${issuer}/oauth/authorize/${id}` } : {}
      return {
        ...(found.payload as AdapterPayload),
        jti: id,
        ...resume,
        ...(found.isConsumed ? { consumed: true } : {}),
      }
    },
    async consume(id) {
      if (await host.records.consume(kind, id)) return
      // somebody else was faster, at whichever engine: one of the two has stolen it
      const grant = ((await host.records.find(kind, id))?.payload as AdapterPayload | undefined)?.grantId
      if (grant !== undefined) await host.endLetIn(grant)
      throw new errors.InvalidGrant('it was used before')
    },
    destroy: (id) => host.records.remove(kind, id),
    revokeByGrantId: (grant) => host.endLetIn(grant),
  }
}
