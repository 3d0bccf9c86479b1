/**
 * Types of message values (wire decision G12).
 * @module
 */
import * as z from 'zod'

import { isArtifactRef } from './artifact.ts'

const names = ['any', 'float', 'int', 'str', 'bool', 'object', 'array', 'image', 'media', 'artifact'] as const

/** Type of a message's values. */
export const dtypeSchema = z.enum(names).meta({ id: 'Dtype', description: 'Type of a message’s values.' })
/** Type of a message’s values, such as `float`; `any` is any JSON value. */
export type Dtype = (typeof names)[number]

/** A dtype as clients may write it: `dict` is read as `object`, `list` as `array`. */
export const dtypeInputSchema = z.enum([...names, 'dict', 'list'])
/** A dtype or one of its other names. */
export type DtypeInput = Dtype | 'dict' | 'list'

/** The dtype behind an alias. */
export const normalDtype = (dtype: DtypeInput): Dtype =>
  dtype === 'dict' ? 'object' : dtype === 'list' ? 'array' : dtype

/** How a number that JSON lacks travels: the spelling of protobuf's JSON mapping. */
export const specialFloats: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity'])

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const refOf = (value: unknown, types: RegExp): boolean => isArtifactRef(value) && types.test(value.media_type)

/** Whether a JSON value may travel under a dtype. Nothing is coerced: `"1"` is no `bool` and no `int`. */
export function accepts(dtype: Dtype, value: unknown): boolean {
  switch (dtype) {
    case 'any':
      return value !== undefined
    case 'float':
      return (typeof value === 'number' && Number.isFinite(value)) || specialFloats.has(value)
    case 'int':
      return Number.isSafeInteger(value)
    case 'str':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'image':
      return refOf(value, /^image\//)
    case 'media':
      return refOf(value, /^(image|audio|video)\//)
    case 'artifact':
      return isArtifactRef(value)
  }
}

const widenings: Partial<Record<Dtype, readonly Dtype[]>> = {
  int: ['float'],
  image: ['media', 'artifact'],
  media: ['artifact'],
}

/** Whether a producer of one dtype may feed a consumer of another; `any` on either side is checked at delivery. */
export const compatible = (from: Dtype, to: Dtype): boolean =>
  from === to || from === 'any' || to === 'any' || (widenings[from]?.includes(to) ?? false)

/** A short text of a value for error messages, at most 80 characters. */
export function describeValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value)
  // A character cut in half is no text that a database takes.
  return text.length > 80 ? `${text.slice(0, 77).toWellFormed()}...` : text
}
