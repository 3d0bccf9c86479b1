/**
 * Port types that typed constructors share.
 * @module
 */
import type { ValueType } from '@flow-service/flow-sdk'
import type { Dtype } from '@flow-service/protocol'

/** No port in this direction. */
export type NoPorts = Record<never, never>

/** A port of any type that carries values. */
export type AnyValue = ValueType<unknown, Dtype>
