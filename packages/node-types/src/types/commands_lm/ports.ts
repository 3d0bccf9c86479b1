/**
 * The ports of `commands_lm`: what a prompt comes with, the report, and a target for each device that may be written.
 * @module
 */
import type { NodeFinding, NodePort, NodeShape } from '@flow-service/connector-sdk'
import { compatible, type Dtype } from '@flow-service/protocol'

import { type Device, deviceOf, remedyFor } from './device.ts'

/** Inputs by name; the first is the one that runs a node. */
const inputDtypes = { prompt: 'str', presence: 'str', outdoor: 'float', dark: 'bool' } as const
const inputNames = Object.keys(inputDtypes)

/** Inputs that never run a node. */
export const passiveInputs = inputNames.slice(1)
/** The output that tells what came of a prompt. */
export const REPORT = 'actions'

/** Dtypes of targets. */
const targetDtypes = ['bool', 'int', 'float', 'str'] as const satisfies readonly Dtype[]
/** A dtype of targets. */
export type TargetDtype = (typeof targetDtypes)[number]

/** An output that a device follows. */
export interface Target {
  readonly port: string
  readonly message: string
  readonly dtype: TargetDtype
  readonly device: Device
}

/** The targets among outputs that have passed the check, in port order. */
export const targetsIn = (outputs: readonly NodePort[]): readonly Target[] =>
  outputs.flatMap(({ port, message, dtype }) => {
    const device = deviceOf(port)
    return device === null ? [] : [{ port, message, dtype: dtype as TargetDtype, device }]
  })

/** What is wrong with the ports of a node. */
export function portFindings({ inputs, outputs }: NodeShape): NodeFinding[] {
  const findings = [
    ...inputs.flatMap((input, at) => inputFinding(input, `/inputs/${at}`)),
    ...outputs.flatMap((output, at) => outputFinding(output, `/outputs/${at}`)),
  ]
  if (!inputs.some(({ port }) => port === 'prompt'))
    findings.push(unsupported('commands come in by the input "prompt"; add it, of the type str'))
  if (outputs.length === 0)
    findings.push(unsupported(`nothing would come of a command; add the output "${REPORT}", or one for a device`))
  return findings
}

function inputFinding({ port, dtype, trigger }: NodePort, path: string): NodeFinding[] {
  if (!isInput(port)) {
    const message = `commands have no input "${port}"; they take ${inputNames.join(', ')}`
    return [unsupported(message, path)]
  }
  const findings: NodeFinding[] = []
  const runs = port === 'prompt'
  if (trigger !== runs) {
    const message = `only the input "prompt" runs commands; set the "trigger" of "${port}" to ${runs}`
    findings.push(unsupported(message, `${path}/trigger`))
  }
  if (!compatible(dtype, inputDtypes[port])) {
    const message = `input "${port}" is ${dtype}, but commands take ${inputDtypes[port]} there; change its dtype`
    findings.push({ code: 'dtype_mismatch', path: `${path}/dtype`, message })
  }
  return findings
}

function outputFinding({ port, dtype }: NodePort, path: string): NodeFinding[] {
  if (port === REPORT) {
    if (compatible('array', dtype)) return []
    const message = `output "${REPORT}" is ${dtype}, but commands report a list; make it an array`
    return [{ code: 'dtype_mismatch', path: `${path}/dtype`, message }]
  }
  if (deviceOf(port) === null)
    return [unsupported(`output "${port}" is no device that commands know; ${remedyFor(port)}`, path)]
  if (targetDtypes.some((each) => each === dtype)) return []
  const message = `output "${port}" is ${dtype}, but what is written to a device depends on its type; make it ${targetDtypes.join(', ')}`
  return [unsupported(message, `${path}/dtype`)]
}

const isInput = (port: string): port is keyof typeof inputDtypes => Object.hasOwn(inputDtypes, port)

const unsupported = (message: string, path?: string): NodeFinding => ({
  code: 'unsupported_ports',
  message,
  ...(path === undefined ? {} : { path }),
})
