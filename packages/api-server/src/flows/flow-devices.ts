/**
 * What published live flows have to do with devices: how their nodes wire the ports of each, and which messages are read
 * now. Devices ask for it whenever one connects, sends or is shown.
 * @module
 */
import type { LiveRuntime } from '@flow-service/core'
import type { DeviceBinding, FlowDocument, FlowNode } from '@flow-service/protocol'

import type { DeviceWiring } from '../devices/device-wiring.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { PublishedFlows } from './published-flows.ts'

/** What the wiring is read from. */
export interface FlowDevicesDeps {
  readonly published: Pick<PublishedFlows, 'all' | 'onChange'>
  readonly runtime: Pick<LiveRuntime, 'isRead'>
  readonly bus: Pick<EventBus, 'subscribe'>
}

/** The wiring of devices by published flows. It is gathered anew when it is asked for after a change. */
export function flowDevices({ published, runtime, bus }: FlowDevicesDeps): DeviceWiring {
  let byDevice: ReadonlyMap<string, readonly DeviceBinding[]> | null = null
  published.onChange(() => (byDevice = null))
  const gathered = (): ReadonlyMap<string, readonly DeviceBinding[]> =>
    (byDevice ??= gather(published.all().filter(({ mode }) => mode === 'live')))
  return {
    of: (device) => gathered().get(device) ?? [],
    isRead: (message) => runtime.isRead(message),
    onChange(listener) {
      const told = atEndOfTurn(listener)
      const ends = [
        published.onChange(told.call),
        // who starts, stops, pauses or goes on reads other messages than before
        bus.subscribe((event) => event.type === 'flow' && told.call(), { quiet: true }),
        told.end,
      ]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

/** Calls once for all that happens in a turn: several flows change together where one of them gets another name. */
function atEndOfTurn(run: () => void): { readonly call: () => void; readonly end: () => void } {
  let state: 'open' | 'due' | 'over' = 'open'
  return {
    call() {
      if (state !== 'open') return
      state = 'due'
      queueMicrotask(() => {
        if (state !== 'due') return
        state = 'open'
        run()
      })
    },
    end: () => void (state = 'over'),
  }
}

function gather(documents: readonly FlowDocument[]): ReadonlyMap<string, readonly DeviceBinding[]> {
  const byDevice = new Map<string, DeviceBinding[]>()
  for (const { name: flow, nodes } of documents) {
    for (const node of nodes) {
      const { device } = node.settings
      if (node.type !== 'device' || typeof device !== 'string') continue
      byDevice.set(device, [...(byDevice.get(device) ?? []), ...bindingsOf(flow, node)])
    }
  }
  return byDevice
}

const bindingsOf = (flow: string, { id: node, settings, ports }: FlowNode): DeviceBinding[] =>
  ports.map(({ port, direction, message, dtype, interval, on_demand }) => ({
    port,
    // the node stands on the other side: what it puts out has come in from the device
    direction: direction === 'output' ? 'in' : 'out',
    message,
    dtype,
    interval,
    on_demand,
    flow,
    node,
    config: configOf(settings.config, port),
  }))

function configOf(config: unknown, port: string): DeviceBinding['config'] {
  if (typeof config !== 'object' || config === null || !Object.hasOwn(config, port)) return {}
  const own = (config as Record<string, unknown>)[port]
  return typeof own === 'object' && own !== null && !Array.isArray(own) ? (own as DeviceBinding['config']) : {}
}
