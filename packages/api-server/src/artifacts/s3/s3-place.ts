/**
 * Where an S3-compatible store is: what `SERVICE_ARTIFACTS_URL` and the variables `AWS_*` say of it, read when the engine
 * opens. No message of here repeats the URL, in which somebody may have written a password.
 * @module
 */
import { isIP } from 'node:net'

import { ConfigError } from '../../process/setting.ts'

/** A bucket, the beginning of all keys in it, and who may use it. */
export interface S3Place {
  /** URL of the bucket, without a slash at its end. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Settings of which a place is made. */
export interface S3Settings {
  readonly artifactsUrl: string
  readonly awsAccessKeyId: string | null
  readonly awsSecretAccessKey: string | null
  readonly awsSessionToken: string | null
  readonly awsRegion: string | null
}

const PARAMETERS: ReadonlySet<string> = new Set(['endpoint', 'region', 'path_style'])
const SHAPE = 's3://bucket/prefix?endpoint=https://host&region=name&path_style=true'

/** Throws `ConfigError`. */
export function placeOf(settings: S3Settings): S3Place {
  const url = urlOf(settings.artifactsUrl)
  const given = parametersOf(url)
  const bucket = url.host
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw bad('its host is no name of a bucket (3 to 63 lower-case letters, digits, dots and hyphens)')
  const region = given.get('region') ?? settings.awsRegion ?? 'us-east-1'
  if (!/^[a-z0-9-]+$/.test(region)) throw bad(`the region ${JSON.stringify(region)} is none`)
  const named = given.get('endpoint')
  const isPath = flagOf(given.get('path_style')) ?? (named !== undefined || bucket.includes('.'))
  const origin = originOf(named ?? `https://s3.${region}.amazonaws.com`)
  const hasDomain = isIP(origin.hostname) === 0 && origin.hostname.includes('.')
  if (!isPath && (bucket.includes('.') || !hasDomain))
    throw bad('path_style=false needs an endpoint with a domain, and a bucket without dots')
  return {
    endpoint: isPath ? `${origin.href}${bucket}` : `${origin.protocol}//${bucket}.${origin.host}`,
    region,
    bucket,
    prefix: prefixOf(url),
    ...credentialsOf(settings),
  }
}

function urlOf(text: string): URL {
  if (!URL.canParse(text) || !text.startsWith('s3://')) throw bad('it is no URL that begins with s3://')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw bad('it has a user name or a password: credentials stand in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  if (url.hash !== '') throw bad('it has a fragment')
  return url
}

function parametersOf(url: URL): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    if (!PARAMETERS.has(name)) throw bad(`the parameter ${JSON.stringify(name)} is not known`)
    if (given.has(name)) throw bad(`the parameter ${name} stands there twice`)
    if (value !== '') given.set(name, value)
  }
  return given
}

/** Keys are signed as they are: only what every signer writes alike. */
function prefixOf({ pathname }: URL): string {
  const steps = pathname.split('/').filter((step) => step !== '')
  if (!steps.every((step) => /^[\w.-]+$/.test(step)))
    throw bad('its path is no beginning of keys (letters, digits, dots, hyphens, underscores and slashes)')
  return steps.map((step) => `${step}/`).join('')
}

function flagOf(text: string | undefined): boolean | undefined {
  if (text === undefined || text === 'true' || text === 'false') return text && text === 'true'
  throw bad('path_style is neither true nor false')
}

function originOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.pathname === '/'
  if (!isOrigin || url.search !== '') throw bad('its endpoint is no URL of http or https without a path')
  return url
}

function credentialsOf({ awsAccessKeyId, awsSecretAccessKey, awsSessionToken }: S3Settings) {
  if (awsAccessKeyId === null || awsSecretAccessKey === null)
    throw new ConfigError(
      'SERVICE_ARTIFACTS_URL needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to those of its store',
    )
  if (awsSessionToken !== null)
    throw new ConfigError(
      'AWS_SESSION_TOKEN is set, and credentials that end within hours are not possible for SERVICE_ARTIFACTS_URL: ' +
        'use lasting ones, of a user who may do nothing else, and unset it',
    )
  return { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey }
}

const bad = (why: string): ConfigError =>
  new ConfigError(
    `SERVICE_ARTIFACTS_URL is not usable: ${why}; use ${SHAPE}, of which all but the bucket may be missing`,
  )
