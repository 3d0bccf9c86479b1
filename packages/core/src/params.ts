/**
 * Parameters of a run against the inputs that its flow declares (G31).
 * @module
 */
import { accepts, describeValue, type FlowDocument, type ProblemItem, type RunInput } from '@flow-service/protocol'

/** What a run is executed with. */
export interface RunParams {
  /** Every declared input, in the flow's order. */
  readonly inputs: RunInput[]
  readonly seed: number | null
}

/** Unknown params that are told: a body may name as many as it has room for. */
const MAX_UNKNOWN = 100

/**
 * Fills parameters with initial values. A given seed fills the input `seed`; otherwise that input's value is the seed.
 * Errors carry the codes `unknown_param`, `missing_param`, `bad_param` and `bad_seed`, and a JSON Pointer into a
 * submission.
 */
export function checkParams(
  document: FlowDocument,
  params: Record<string, unknown>,
  seed: number | undefined,
): RunParams | { readonly errors: ProblemItem[] } {
  const errors: ProblemItem[] = []
  const declared = new Map(document.inputs.map((input) => [input.name, input]))
  const unknown = Object.keys(params).filter((name) => !declared.has(name))
  for (const name of unknown.slice(0, MAX_UNKNOWN)) {
    const message = `flow "${document.name}" has no input "${name}"; it has ${[...declared.keys()].join(', ') || 'none'}`
    errors.push({ path: pathOf(name), code: 'unknown_param', message })
  }
  const seeded = seed === undefined || Object.hasOwn(params, 'seed') || !declared.has('seed')
  const given: Record<string, unknown> = seeded ? params : { ...params, seed }
  const inputs: RunInput[] = []
  for (const { name, dtype, initial } of declared.values()) {
    const left = !Object.hasOwn(given, name)
    const value = left ? initial : given[name]
    if (left && initial === null && dtype !== 'any') {
      errors.push({ path: pathOf(name), code: 'missing_param', message: `input "${name}" (${dtype}) needs a value` })
    } else if (!accepts(dtype, value)) {
      const message = `input "${name}" is ${dtype}, which ${describeValue(value)} is not`
      errors.push({ path: left || name in params ? pathOf(name) : '/seed', code: 'bad_param', message })
    } else {
      inputs.push({ name, dtype, value: value as RunInput['value'], default: left })
    }
  }
  if (errors.length > 0) return { errors }
  const named = inputs.find((input) => input.name === 'seed')
  const fault = seedFault(named, seed)
  return fault === null
    ? { inputs, seed: seed ?? (named?.value as number | null | undefined) ?? null }
    : { errors: [fault] }
}

function seedFault(named: RunInput | undefined, seed: number | undefined): ProblemItem | null {
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    return { path: '/seed', code: 'bad_seed', message: `the seed ${seed} is no integer within 2^53` }
  }
  if (named === undefined || named.value === null) return null
  if (!Number.isSafeInteger(named.value)) {
    const message = `input "seed" is the seed of the run, so it has to be an integer, not ${describeValue(named.value)}`
    return { path: pathOf('seed'), code: 'bad_seed', message }
  }
  if (seed === undefined || seed === named.value) return null
  const message = `"seed" is ${seed}, but "params.seed" is ${describeValue(named.value)}; give one, or the same twice`
  return { path: '/seed', code: 'bad_seed', message }
}

const pathOf = (name: string): string => `/params/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
