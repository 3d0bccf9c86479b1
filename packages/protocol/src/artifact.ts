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
    digest: digestSchema,
    name: z.string().max(255),
    media_type: z.string().max(255),
    size: z.int().min(0),
    volatile: z.boolean().default(false),
  })
  .meta({ id: 'ArtifactRef' })
/** A reference to stored bytes, which travels in messages instead of them. `size` is in bytes. */
export type ArtifactRef = z.output<typeof artifactRefSchema>

/** Bytes that somebody wants to send to the store of an engine directly. `size` is in bytes. */
export const artifactUploadBodySchema = z
  .strictObject({
    digest: digestSchema,
    size: z.int().min(0),
    name: z.string().max(255).default('').meta({ description: 'File name, shown when the bytes are downloaded.' }),
    media_type: z.string().max(255).default('application/octet-stream'),
  })
  .meta({ id: 'ArtifactUploadBody' })

/**
 * Where such bytes go: a `PUT` of them to `url` with exactly these `headers`, and no others that say who sends them, begun
 * before `expires_at`; then `upload` is completed.
 */
export const artifactUploadSchema = z
  .object({
    upload: z.uuid(),
    url: z.url(),
    headers: z.record(z.string(), z.string()),
    expires_at: timestampSchema,
  })
  .meta({ id: 'ArtifactUpload' })
/** Where bytes go that are sent to the store of an engine directly. */
export type ArtifactUpload = z.output<typeof artifactUploadSchema>

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
