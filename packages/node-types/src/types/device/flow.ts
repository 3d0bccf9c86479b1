/**
 * Typed constructor of `device`.
 * @module
 */
import {
  type Inputs,
  type JsonObject,
  nodeType,
  type OutputOptions,
  type Outputs,
  type Sources,
  type Targets,
  type TypedNode,
  type ValueType,
} from '@flow-service/flow-sdk'
import type { Dtype } from '@flow-service/protocol'

import type { NoPorts } from '../../constructor-ports.ts'

/**
 * Paired devices by id, with the dtypes of the ports that each has reported, in the words of the device: it publishes what is
 * `in`, an output of its node, and follows what is `out`, an input. `service devices types` writes a file which adds those of an
 * engine, and looks like the example: a member for each device that has reported ports, by id; in it both directions, one of
 * them perhaps empty; ids and names in quotes where they are no identifiers, everything in alphabetical order. A device that
 * has no report is left out, and takes any ports.
 * @example
 * // devices.d.ts
 * import type {} from '@flow-service/node-types/flow'
 *
 * declare module '@flow-service/node-types/flow' {
 *   interface Devices {
 *     'hall-panel': {
 *       in: { camera: 'image'; lux: 'float' }
 *       out: { relay1: 'bool' }
 *     }
 *   }
 * }
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface -- others add to it
export interface Devices {}

/** Dtypes by port, of one direction of a known device. */
type Reported<Id extends keyof Devices, D extends 'in' | 'out'> =
  Devices[Id] extends Readonly<Record<D, infer P extends Readonly<Record<string, Dtype>>>> ? P : NoPorts

/** Nothing but ports that a device has. */
type Only<P, R> = { readonly [K in Exclude<keyof P, keyof R>]: never }
type KnownInputs<R> = { readonly [K in keyof R]?: ValueType<unknown, Sources<R[K] & Dtype>> }
type KnownOutputs<R> = { readonly [K in keyof R]?: ValueType<unknown, Targets<R[K] & Dtype>> }

/** What is known of the ports of a device that `Devices` has; nothing of others. */
type Fitting<Id, I, O> = Id extends keyof Devices
  ? {
      readonly in?: KnownInputs<Reported<Id, 'out'>> & Only<I, Reported<Id, 'out'>>
      readonly out?: KnownOutputs<Reported<Id, 'in'>> & Only<O, Reported<Id, 'in'>>
    }
  : unknown

/** Options of {@link device}. */
export interface DeviceOptions<I extends Inputs, O extends Outputs> {
  /** What the device follows. None of it runs anything. */
  readonly in?: I
  /** What the device publishes. */
  readonly out?: O
  /** By port, an object for the device, which it gets as it stands. */
  readonly config?: { readonly [K in keyof NoInfer<I> | keyof NoInfer<O>]?: JsonObject }
  /** Outputs that the device sends only while somebody wants them, such as pictures. */
  readonly onDemand?: readonly (keyof NoInfer<O>)[]
  /** Seconds between two values of an output. */
  readonly interval?: { readonly [K in keyof NoInfer<O>]?: number }
}

/** An id that {@link Devices} has, or any other. */
// oxlint-disable-next-line typescript/no-redundant-type-constituents -- editors complete the ids that are known
type DeviceId = (keyof Devices & string) | (string & Record<never, never>)

/**
 * Stand for a paired device. Ports and dtypes of a device in {@link Devices} are checked by the compiler.
 * @example
 * const { lux } = use(device('hall-panel', { out: { lux: t.float }, in: { relay1: t.bool } }), { relay1: m.light })
 */
export function device<const Id extends DeviceId, I extends Inputs = NoPorts, O extends Outputs = NoPorts>(
  id: Id,
  { in: inputs, out, config, onDemand = [], interval }: DeviceOptions<I, O> & Fitting<Id, I, O>,
): TypedNode<I, O> {
  const outputs: { [port: PropertyKey]: OutputOptions } = {}
  for (const [port, seconds] of Object.entries<number | undefined>(interval ?? {}))
    outputs[port] = seconds === undefined ? {} : { interval: seconds }
  for (const port of onDemand) outputs[port] = { ...outputs[port], onDemand: true }
  return nodeType('device', {
    ...(inputs && { in: passive(inputs) }),
    ...(out && { out }),
    settings: { device: id, config },
    outputs,
  }) as TypedNode<I, O>
}

/** Arrivals run nothing: the device follows them. */
const passive = (inputs: Inputs): Inputs =>
  Object.fromEntries(Object.entries(inputs).map(([port, type]) => [port, { ...type, kind: 'latest', initial: null }]))
