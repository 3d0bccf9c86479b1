/**
 * Settings of where artifacts are, which `config.ts` has among all others.
 * @module
 */
import { join } from 'node:path'

import { ConfigError, optional, text } from '../process/setting.ts'
import { placeOf } from './s3/s3-place.ts'

/** Settings by the names of their options. */
export const artifactsSettings = {
  artifactsDir: optional(text('a path'), {
    env: 'SERVICE_ARTIFACTS_DIR',
    about: 'The folder of artifacts; engines that share a PostgreSQL server share it too.',
    initially: 'artifacts in the data folder',
  }),
  artifactsUrl: optional(text('s3://bucket/prefix?endpoint=https://host&region=name&path_style=true'), {
    env: 'SERVICE_ARTIFACTS_URL',
    about:
      'The S3-compatible store of artifacts, in place of a folder: s3://bucket/prefix with the parameters endpoint, region and path_style. Engines that share a PostgreSQL server share it too.',
    initially: 'none: artifacts are in a folder',
    // somebody may have written a password in it
    secret: true,
  }),
  awsAccessKeyId: optional(text('the id of a key'), {
    env: 'AWS_ACCESS_KEY_ID',
    about: 'Whose the key for SERVICE_ARTIFACTS_URL is; nothing else uses it.',
    secret: true,
  }),
  awsSecretAccessKey: optional(text('a key'), {
    env: 'AWS_SECRET_ACCESS_KEY',
    about: 'The key for SERVICE_ARTIFACTS_URL.',
    secret: true,
  }),
  awsSessionToken: optional(text('nothing'), {
    env: 'AWS_SESSION_TOKEN',
    about: 'Not possible with SERVICE_ARTIFACTS_URL: nothing renews credentials that end.',
    secret: true,
  }),
  awsRegion: optional(text('the name of a region'), {
    env: 'AWS_REGION',
    about: 'The region of SERVICE_ARTIFACTS_URL, unless that names one.',
    initially: 'us-east-1',
  }),
}

interface ArtifactsValues {
  readonly artifactsDir: string | null
  readonly artifactsUrl: string | null
  readonly awsAccessKeyId: string | null
  readonly awsSecretAccessKey: string | null
  readonly awsSessionToken: string | null
  readonly awsRegion: string | null
}

/** Throws `ConfigError` when artifacts are in two places, or in one that cannot be. */
export function checkArtifacts({ artifactsDir, artifactsUrl, ...keys }: ArtifactsValues): void {
  if (artifactsUrl === null) return
  if (artifactsDir !== null)
    throw new ConfigError('SERVICE_ARTIFACTS_URL and SERVICE_ARTIFACTS_DIR are both set: artifacts are in one of them')
  placeOf({ artifactsUrl, ...keys })
}

/** Directory of the stored artifacts, or of uploads on their way to a store elsewhere. */
export const artifactsDirOf = ({
  artifactsDir,
  dataDir,
}: {
  readonly artifactsDir: string | null
  readonly dataDir: string
}): string => artifactsDir ?? join(dataDir, 'artifacts')
