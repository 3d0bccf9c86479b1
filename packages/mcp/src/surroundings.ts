/**
 * What the command `flow-service-mcp` is told by its environment.
 * @module
 */
import { type Scope, scopeSchema } from '@flow-service/protocol'

/** A setting that is missing or not usable, in one sentence with what to do. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** Where the service is, and as whom. */
export interface Surroundings {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string
  readonly token: string
  readonly scopes: ReadonlySet<Scope>
}

/** The surroundings of a command. Throws a {@link SettingError}. */
export function surroundingsOf({ SERVICE_URL: url = '', SERVICE_TOKEN: token = '' }: NodeJS.ProcessEnv): Surroundings {
  if (url === '')
    throw new SettingError(
      'SERVICE_URL is not set: set it to the address of the service, such as http://127.0.0.1:8000',
    )
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new SettingError(
      `SERVICE_URL is ${JSON.stringify(url)}: use an http or https URL, such as http://127.0.0.1:8000`,
    )
  const place = url.replace(/\/+$/, '')
  return { baseUrl: place.endsWith('/api/v1') ? place : `${place}/api/v1`, token, scopes: scopesOf(token) }
}

/**
 * What a token says that it may do. It is not verified here, as the service does that with each request; one of another
 * kind is no token of an agent.
 */
function scopesOf(token: string): ReadonlySet<Scope> {
  const how = 'make one by: service oauth token --client NAME --scope "flows:read runs:read"'
  if (token === '') throw new SettingError(`SERVICE_TOKEN is not set: set it to the token of the agent; ${how}`)
  const { aud, scope } = claimsOf(token)
  if (aud !== 'mcp' || typeof scope !== 'string')
    throw new SettingError(`SERVICE_TOKEN is no token of an agent (sessions and API keys are not taken here): ${how}`)
  return new Set(scope.split(' ').flatMap((each) => scopeSchema.safeParse(each).data ?? []))
}

function claimsOf(token: string): { readonly aud?: unknown; readonly scope?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? claims : {}
  } catch {
    return {}
  }
}
