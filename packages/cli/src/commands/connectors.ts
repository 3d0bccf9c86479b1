import { type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'
import { bold, printAnswer } from '../terminal.ts'

interface TypesFlags extends ClientFlags {
  readonly all?: boolean
}

/** `service connectors types`. */
export async function listTypes(flags: TypesFlags): Promise<void> {
  const all = await connect(flags).flows.nodeTypes()
  const types = all.filter(({ package: origin }) => flags.all === true || origin !== null)
  const rows = types.map(({ type, package: origin, version, title, params, missing }) => [
    type,
    origin === null ? 'built in' : `${origin} ${version}`,
    missing === null ? title : `${title} (lacks ${missing})`,
    Object.keys(Object(params['properties'])).join(' ') || '-',
  ])
  const none = 'No package has brought node types. "service modules list" tells which were left out, and why.'
  printAnswer(types, flags.json, () => table(['TYPE', 'PACKAGE', 'TITLE', 'SETTINGS'], rows, none))
}

const soon = 'Nodes of the package learn it anew when their flows are published or started the next time.'

/** `service connectors state list <type>`. */
export async function listState(type: string, flags: ClientFlags): Promise<void> {
  const keys = await connect(flags).connectors.listState(type)
  const rows = keys.map((key) => [key])
  printAnswer(keys, flags.json, () => table(['KEY'], rows, 'Its package keeps nothing.'))
}

/** `service connectors state forget <type> <key>`. */
export async function forgetKey(type: string, key: string, flags: ClientFlags): Promise<void> {
  await connect(flags).connectors.deleteKey(type, key)
  printAnswer({ key }, flags.json, () => `Forgot ${bold(key)}. ${soon}`)
}

/** `service connectors state clear <type>`. */
export async function clearState(type: string, flags: ClientFlags): Promise<void> {
  await connect(flags).connectors.clearState(type)
  printAnswer({ type }, flags.json, () => `Forgot everything that the package of ${bold(type)} keeps. ${soon}`)
}
