/**
 * References to stored bytes (wire decision G40).
 * @module
 */
import * as z from 'zod'

import { timestampSchema } from './time.ts'

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'use "sha256:" and 64 hexadecimal digits')

/** A reference to stored bytes: what travels in messages instead of the bytes. `size` is in bytes. */
export const artifactRefSchema = z
  .object({
    digest: digestSchema.meta({ description: 'SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits.' }),
    name: z.string().max(255).meta({ description: 'File name, shown when the bytes are downloaded.' }),
    media_type: z.string().max(255).meta({ description: 'Media type (RFC 6838), such as `image/png`.' }),
    size: z.int().min(0).meta({ description: 'Bytes.' }),
    volatile: z
      .boolean()
      .default(false)
      .meta({ description: 'The bytes are kept in memory alone, and go when newer ones need the room.' }),
  })
  .meta({ id: 'ArtifactRef' })
/** A reference to stored bytes, which travels in messages instead of them. `size` is in bytes. */
export type ArtifactRef = z.output<typeof artifactRefSchema>

/** Bytes that somebody wants to send to the store of an engine directly. `size` is in bytes. */
export const artifactUploadBodySchema = z
  .strictObject({
    digest: digestSchema.meta({ description: 'SHA-256 of the bytes that are to come.' }),
    size: z.int().min(0).meta({ description: 'Bytes that are to come.' }),
    name: z.string().max(255).default('').meta({ description: 'File name, shown when the bytes are downloaded.' }),
    media_type: z
      .string()
      .max(255)
      .default('application/octet-stream')
      .meta({ description: 'Media type of the bytes (RFC 6838).' }),
  })
  .meta({ id: 'ArtifactUploadBody' })

/**
 * Where such bytes go: a `PUT` of them to `url` with exactly these `headers`, and no others that say who sends them, begun
 * before `expires_at`; then `upload` is completed.
 */
export const artifactUploadSchema = z
  .object({
    upload: z.uuid().meta({ description: 'By which it is completed.' }),
    url: z.url().meta({
      description: 'Where the bytes are sent by `PUT`; it is signed, so send no credential of the engine there.',
    }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Headers that the request has to have, as they are.' }),
    expires_at: timestampSchema.meta({ description: 'Until when the request may begin.' }),
  })
  .meta({ id: 'ArtifactUpload' })
/** Where bytes go that are sent to the store of an engine directly. */
export type ArtifactUpload = z.output<typeof artifactUploadSchema>

/** Media type of a large value of a run, whose JSON is stored as an artifact in place of it (V15). */
export const STORED_VALUE_TYPE = 'application/vnd.flow-service.value+json'

const digestPattern = /^sha256:[0-9a-f]{64}$/

/** Whether a value is a reference to stored bytes: told by its digest and media type. */
export function isArtifactRef(value: unknown): value is ArtifactRef {
  if (typeof value !== 'object' || value === null) return false
  const { digest, media_type } = value as Record<string, unknown>
  return typeof digest === 'string' && digestPattern.test(digest) && typeof media_type === 'string'
}

/** Every reference inside a JSON value, at any depth, in order of appearance. */
export function artifactRefsIn(value: unknown): ArtifactRef[] {
  const refs: ArtifactRef[] = []
  // a stack of its own: values of node code may be nested deeper than calls can be
  const rest = [value]
  while (rest.length > 0) {
    const item = rest.pop()
    if (typeof item !== 'object' || item === null) continue
    if (isArtifactRef(item)) refs.push(item)
    else for (const inner of Object.values(item).toReversed()) rest.push(inner)
  }
  return refs
}
