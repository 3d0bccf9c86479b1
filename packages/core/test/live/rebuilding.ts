/** Rebuilds of a flow of one test: nodes that tell of their life, and a clock that goes on. */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { FlowDocument, FlowDocumentInput } from '@flow-service/protocol'

import type { LiveFlow } from '../../src/index.ts'
import { input, type } from '../documents.ts'

type Nodes = NonNullable<FlowDocumentInput['nodes']>

/** A node type `watched` that tells of its life, and of what it is called with; `trouble` fails its start. */
export function watched(seconds: { readonly start?: number; readonly stop?: number } = {}) {
  const told: string[] = []
  const trouble = { of: null as unknown }
  const wait = (ctx: NodeContext, s = 0): Promise<void> =>
    s === 0 ? Promise.resolve() : new Promise((resolve) => void ctx.after(s, resolve))
  const definition = type('watched', async (ctx) => {
    const { node, settings } = ctx
    const { form } = settings as { form?: number }
    const name = form === undefined ? node : `${node}:${form}`
    told.push(`start ${name}`)
    if (form === trouble.of) throw new Error('no broker')
    await wait(ctx, seconds.start)
    return {
      onValue: (_port, value) => void told.push(`${name} ${String(value)}`),
      stop: () => void told.push(`stop ${name}`),
    }
  })
  return { told, trouble, definition: { ...definition, settings: anySettings } }
}

export const anySettings = type('x', () => ({})).settings.loose()

export const reader = (id: string, form?: number, more: Partial<Nodes[number]> = {}): Nodes[number] => ({
  id,
  type: 'watched',
  settings: form === undefined ? {} : { form },
  ports: [input('x')],
  ...more,
})

/** Rebuilds while the clock goes on. */
export async function rebuild(
  { host }: { readonly host: { advance(ms: number): Promise<void> } },
  live: LiveFlow,
  document: FlowDocument,
  options: Parameters<LiveFlow['rebuild']>[1] = {},
): Promise<readonly string[] | Error> {
  const rebuilt = live.rebuild(document, options).catch((error: unknown) => error as Error)
  for (let second = 0; second < 70; second++) {
    // oxlint-disable-next-line no-await-in-loop -- one second after the other
    await host.advance(1000)
  }
  return await rebuilt
}
