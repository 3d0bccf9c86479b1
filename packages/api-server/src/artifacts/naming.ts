/**
 * What bytes may be called. One rule for everybody who stores some: what is accepted here travels in headers later.
 * @module
 */
import * as z from 'zod'

import { invalid } from '../http/errors.ts'

/** A digest in a path, in full or as its 64 hexadecimal digits. */
export const digestParam = z
  .string()
  .regex(/^(?:sha256:)?[0-9a-f]{64}$/, 'use "sha256:" and 64 hexadecimal digits in lower case')
  .meta({ description: 'Digest of the bytes, with or without `sha256:`.' })

/** A file name, or nothing. */
export const nameSchema = z
  .string()
  .max(255, 'use at most 255 characters')
  .regex(/^[^\p{Cc}/\\]*$/u, 'use a file name: no control characters, "/" or "\\"')

/** A media type with its parameters. */
const mediaTypeSchema = z
  .string()
  .max(255, 'use at most 255 characters')
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[\t\x20-\x7e]*)?$/, 'use a media type like image/png')

/** The media type as it was given; refuses with `validation_failed`, which names `path`. */
export function checkMediaType(type: string, path: string): string {
  return checked(mediaTypeSchema, type, path)
}

/** Refuses names that are none, with `validation_failed`. */
export function checkNames({ name, mediaType }: { readonly name: string; readonly mediaType: string }): void {
  checked(nameSchema, name, '/name')
  checkMediaType(mediaType, '/media_type')
}

function checked(schema: z.ZodType<string>, text: string, path: string): string {
  const result = schema.safeParse(text)
  if (result.success && text.isWellFormed()) return text
  const message = result.error?.issues[0]?.message ?? 'use text without half of a surrogate pair'
  throw invalid([{ path, code: 'invalid_format', message }])
}
