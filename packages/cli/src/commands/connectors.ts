import { type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'
import { bold, printAnswer } from '../terminal.ts'

const soon = 'Nodes of the package learn it anew when their flows are published or started the next time.'

/** `service connectors state list <type>`. */
export async function listState(type: string, flags: ClientFlags): Promise<void> {
  const keys = await connect(flags).connectors.listState({ node_type: type })
  const rows = keys.map((key) => [key])
  printAnswer(keys, flags.json, () => table(['KEY'], rows, 'Its package keeps nothing.'))
}

/** `service connectors state forget <type> <key>`. */
export async function forgetKey(type: string, key: string, flags: ClientFlags): Promise<void> {
  await connect(flags).connectors.deleteKey({ node_type: type, key })
  printAnswer({ key }, flags.json, () => `Forgot ${bold(key)}. ${soon}`)
}

/** `service connectors state clear <type>`. */
export async function clearState(type: string, flags: ClientFlags): Promise<void> {
  await connect(flags).connectors.clearState({ node_type: type })
  printAnswer({ type }, flags.json, () => `Forgot everything that the package of ${bold(type)} keeps. ${soon}`)
}
