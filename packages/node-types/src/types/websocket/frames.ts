/**
 * Frames of `websocket` and the values they carry (wire decision G69).
 * @module
 */
import type { NodeContext, Values } from '@flow-service/connector-sdk'
import { accepts } from '@flow-service/protocol'

import type { LinkHealth } from '../../link-health.ts'
import { valuesIn } from '../../payload-values.ts'
import { valueText } from '../../value-text.ts'
import type { WebsocketSettings } from './settings.ts'

type Context = NodeContext<WebsocketSettings>

/** Emits what frames carry; what does not fit is dropped, and the node degraded until something fits again. */
export function hearing(ctx: Context, health: LinkHealth): (text: string) => void {
  const { outputs, settings } = ctx
  if (outputs.length === 0 || !ctx.listens) return () => {}
  return (text) => {
    const values = valuesIn(text, outputs, settings.json_key)
    let fault: string | null = null
    for (const { port, dtype } of outputs) {
      if (!Object.hasOwn(values, port) || accepts(dtype, values[port])) continue
      delete values[port]
      fault = `what came for the output "${port}" is no ${dtype}; it was dropped`
    }
    if (fault === null && Object.keys(values).length === 0) return ctx.log('a frame names none of the outputs')
    health.reading(fault)
    if (Object.keys(values).length > 0) ctx.emit(values)
  }
}

/** The frame of an arrival: one input as it is, several as one object. */
export function frameOf(inputs: Context['inputs'], values: Values): string {
  const [only] = inputs
  return inputs.length === 1 && only ? valueText(values[only.port] ?? null) : JSON.stringify(values)
}
