/**
 * What is wrong with a `modbus` node beyond its schema: registers that no unit has, and ports that do not fit them.
 * @module
 */
import { isIP } from 'node:net'

import type { NodeFinding, NodePort, NodeShape } from '@flow-service/connector-sdk'

import { isBitArea, type Register, registersOf } from './register.ts'
import type { ModbusSettings } from './settings.ts'

/** Findings on the host, the registers and the ports. */
export function findingsOf({ settings, inputs, outputs }: NodeShape<ModbusSettings>): NodeFinding[] {
  const registers = registersOf(settings)
  return [
    ...hostFindings(settings),
    ...[...registers.values()].flatMap((register) => registerFindings(register, settings)),
    ...outputs.flatMap((port, at) => portFindings(port, `/outputs/${at}`, registers)),
    ...inputs.flatMap((port, at) => [
      ...portFindings(port, `/inputs/${at}`, registers),
      ...writeFindings(port, `/inputs/${at}`, registers),
    ]),
  ]
}

/** What it is instead may hold a password, and is not shown. */
function hostFindings({ host }: ModbusSettings): NodeFinding[] {
  if (isIP(host) !== 0 || /^[a-z\d]([\w.-]*[a-z\d.])?$/i.test(host)) return []
  const message = 'setting "host" is no name or address; give it alone, and the port in "port"'
  return [{ code: 'bad_setting', message, path: '/settings/host' }]
}

function registerFindings(register: Register, { registers }: ModbusSettings): NodeFinding[] {
  const { name, area, end, isWritable, type } = register
  const { max, min, offset = 0, scale = 1 } = registers[name] ?? {}
  const found = (setting: string, message: string): NodeFinding => ({
    code: 'bad_setting',
    message: `register "${name}": ${message}`,
    path: `/settings/registers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}/${setting}`,
  })
  const findings: NodeFinding[] = []
  if (isBitArea(area) && type !== 'bool')
    findings.push(found('type', `a ${area} holds a bit, which is no ${type}; set "type" to bool, or change "area"`))
  if (end > 65_536) findings.push(found('address', `a ${type} at ${register.address} ends behind register 65535`))
  if (isWritable && (area === 'input' || area === 'discrete'))
    findings.push(found('writable', `nothing writes to the area "${area}"; use "holding" or "coil"`))
  if (scale === 0) findings.push(found('scale', 'a scale of 0 leaves nothing of the value; use another one'))
  if (type === 'bool' && (scale !== 1 || offset !== 0))
    findings.push(found('scale', 'true and false have no scale and no offset; leave them out'))
  if (min !== undefined && max !== undefined && min > max)
    findings.push(found('min', `"min" ${min} is above "max" ${max}; exchange them`))
  return findings
}

function portFindings(
  { dtype, port }: NodePort,
  path: string,
  registers: ReadonlyMap<string, Register>,
): NodeFinding[] {
  const register = registers.get(port)
  if (register === undefined) {
    const known = [...registers.keys()].slice(0, 20).map((name) => `"${name}"`)
    const message = `there is no register "${port}" in the settings; use ${known.join(', ')}, or add it`
    return [{ code: 'unsupported_ports', message, path }]
  }
  const fitting = dtypesOf(register, path.startsWith('/inputs'))
  if (fitting.includes(dtype)) return []
  const message = `port "${port}" is ${dtype}, but its register is ${register.type}${register.type !== 'bool' && !register.isInteger ? ' with fractions' : ''}; use ${fitting[0]}`
  return [{ code: 'dtype_mismatch', message, path: `${path}/dtype` }]
}

function dtypesOf({ isInteger, type }: Register, isInput: boolean): readonly string[] {
  if (type === 'bool') return ['bool', 'any']
  if (isInteger) return ['int', 'float', 'any']
  // whole numbers go into a register with fractions, and do not come out of it
  return isInput ? ['float', 'int', 'any'] : ['float', 'any']
}

function writeFindings({ port }: NodePort, path: string, registers: ReadonlyMap<string, Register>): NodeFinding[] {
  if (registers.get(port)?.isWritable !== false) return []
  const message = `register "${port}" is not writable; set "writable" in its settings, or remove the input`
  return [{ code: 'unsupported_ports', message, path }]
}
