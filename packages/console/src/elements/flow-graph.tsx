/** `<flow-graph>`: the graph of a flow, with the states of its nodes and the newest values on its wires. */
import type { Flow } from '@flow-service/client-sdk'
import type { EventFrame, FrameKind } from '@flow-service/protocol'
import { computed, type ReadonlySignal, signal } from '@preact/signals'

import { flowsRead } from '../flow/graph.ts'
import { oneLine } from '../format.ts'
import { paced } from '../live/paced.ts'
import { liveValues } from '../live/values.ts'
import { MiniGraph } from '../parts/mini-graph.tsx'
import { ServiceElement, type View } from './element.tsx'
import type { Engine } from './engine.ts'
import { graphOf } from './graph-of.ts'

/** Of the event `node-select`. */
export interface NodeSelectDetail {
  readonly flow: string
  readonly node: string
}

/** Between two columns there is no place for more. */
const MOST = 14
/** Of what happens to the flow in so many milliseconds the graph is read anew once. */
const AGAIN_MS = 250

/**
 * The published form of a flow, read only. Attributes: `src` (the base URL of the API), `flow` (its name), `values` (`on`
 * unless it is `off`), `theme` (`light` or `dark`; else that of the page). Events: `service-error`, `node-select`.
 */
export class FlowGraphElement extends ServiceElement {
  static readonly observedAttributes: readonly string[] = ['src', 'flow', 'values', 'theme']

  /** @internal */
  protected open(engine: Engine): View | string {
    const name = this.getAttribute('flow')
    if (name === null || name === '') return 'Set the attribute "flow".'
    const path = `/flows/${encodeURIComponent(name)}?published=true`
    const hasValues = this.getAttribute('values') !== 'off'
    const flow = signal<Flow | null>(null)
    const selected = signal<string | null>(null)
    const states = signal<ReadonlyMap<string, string>>(new Map())
    const { of, take } = liveValues()
    const texts = new Map<string, ReadonlySignal<string>>()
    const textOf = (message: string): ReadonlySignal<string> => {
      const known = texts.get(message) ?? computed(() => textOfValue(of(message).value))
      texts.set(message, known)
      return known
    }
    let [asked, shown] = [0, 0]
    const read = async (): Promise<void> => {
      const turn = ++asked
      // what cannot be told now is told after the next change, or by the connection that is lost
      const next = await engine.get<Flow>(path).catch(() => null)
      if (next === null || turn < shown) return
      shown = turn
      const before = flowsRead(name, flow.peek()?.nodes ?? []).join()
      if (flowsRead(name, next.nodes).join() === before) flow.value = next
      else this.restart()
    }
    const again = paced(AGAIN_MS, () => void read())
    const load = async (): Promise<void> => {
      flow.value = await engine.get<Flow>(path)
      const kinds: readonly FrameKind[] = ['node', 'health', 'flow', ...(hasValues ? (['value'] as const) : [])]
      engine.follow({ kinds, flows: [name, ...flowsRead(name, flow.value.nodes)] }, (frames) => {
        take(frames)
        states.value = statesAfter(states.peek(), frames, name)
        // it may be another one since: the frame of a publication has the version that a draft had before it, and what was
        // published while there was no connection has no frame
        if (frames.some((frame) => frame.type === 'snapshot' || (frame.type === 'flow' && frame.name === name)))
          again.ask()
      })
    }
    const choose = (node: string): void => {
      selected.value = node
      this.tell('node-select', { flow: name, node } satisfies NodeSelectDetail)
    }
    const Shown = () =>
      flow.value ? (
        <MiniGraph
          {...graphOf(flow.value, states.value)}
          title={`The flow ${flow.value.title || name}`}
          selected={selected.value}
          onNode={choose}
          {...(hasValues && { liveOf: textOf })}
        />
      ) : null
    return { load, render: () => <Shown /> }
  }
}

const textOfValue = (value: { readonly value: unknown; readonly ts: string | null } | null): string =>
  value === null || (value.value === null && value.ts === null) ? '' : oneLine(value.value, MOST)

/** The states of nodes that are not idle and well; the same map while none has changed. */
function statesAfter(
  before: ReadonlyMap<string, string>,
  frames: readonly EventFrame[],
  flow: string,
): ReadonlyMap<string, string> {
  const after = new Map(before)
  for (const frame of frames) {
    if (frame.type === 'snapshot') {
      after.clear()
      for (const { node, status, health } of frame.nodes.filter((one) => one.flow === flow))
        put(after, node, stateOf(status, health))
    } else if (frame.type === 'node' && frame.flow === flow && frame.run === null) {
      put(after, frame.node, frame.status)
    } else if (frame.type === 'health' && frame.flow === flow) {
      put(after, frame.node, stateOf('idle', frame.status))
    }
  }
  const isSame = after.size === before.size && [...after].every(([node, state]) => before.get(node) === state)
  return isSame ? before : after
}

const stateOf = (status: string, health: string): string =>
  status !== 'idle' || health === 'ok' ? status : health === 'down' ? 'failed' : 'degraded'

function put(states: Map<string, string>, node: string, state: string): void {
  if (state === 'idle') states.delete(node)
  else states.set(node, state)
}
