/** A flow as it is drawn, with the panel beside it; `editor.tsx` adds what somebody edits with. */
import type { Flow, FlowGraph, Node, NodeType } from '@flow-service/client-sdk'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'

import { call } from '../api/call.ts'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { Loading } from '../parts/states.tsx'
import { sayFault } from '../parts/toast.tsx'
import { query, setQuery } from '../router.ts'
import { Canvas, type CanvasEdit } from './canvas.tsx'
import { EventsList } from './events-list.tsx'
import { drawnNodes, type Wires, wiresOf } from './graph.ts'
import { Inspector } from './inspector.tsx'
import { Issues } from './issues.tsx'
import type { placesOf } from './lay-out.ts'
import type { FlowNow } from './live.ts'
import { NodeTable } from './node-table.tsx'
import { isPlaced, type Places } from './places.ts'
import { Toolbar } from './toolbar.tsx'

export interface ShownProps {
  readonly flow: Flow
  readonly now: FlowNow
  readonly path: string
}

/** What is drawn, for what edits it. */
export interface Drawn {
  readonly nodes: readonly Node[]
  readonly places: Places
  readonly chosen: string | null
  readonly choose: (node: string | null) => void
}

/** What the page has more while somebody edits. */
export interface Tools {
  readonly edit: CanvasEdit
  readonly selected: ReadonlySet<string>
  /** A node that was just added. */
  readonly added: string | null
  readonly move: (to: Places) => void
  readonly bar: ComponentChildren
  readonly notes: ComponentChildren
  /** Null while it is closed. */
  readonly palette: ComponentChildren
  /** Of a node, or of the flow itself. */
  readonly side: (node: Node | undefined) => ComponentChildren
}

/** Of a flow that is only looked at. */
export const noTools = (): null => null
const none: Places = {}

interface ShownFlowProps extends ShownProps {
  /** A hook: null while the flow is only looked at. */
  readonly useTools: (drawn: Drawn) => Tools | null
}

export function ShownFlow({ flow, now, path, useTools }: ShownFlowProps) {
  const types = useResource<NodeType[]>('/flows/node-types').value.data
  const graph = useResource<FlowGraph>('/flows/graph').value.data ?? null
  const categoryOf = useMemo(() => {
    const known = new Map((types ?? []).map(({ type, category }) => [type, category]))
    return (type: string): string => known.get(type) ?? 'logic'
  }, [types])
  const nodes = useMemo(() => drawnNodes(flow.name, flow), [flow])
  const wires = useMemo(() => wiresOf(flow.name, nodes, graph), [flow.name, nodes, graph])
  const [moved, setMoved] = useState<Places>({})
  const places = usePlaces(nodes, wires, { flow, moved })
  const chosen = query.value.get('node')
  const choose = useCallback((node: string | null): void => setQuery({ node, panel: null }), [])
  const tools = useTools({ nodes, places: places ?? none, chosen, choose })
  const move = (to: Places): void => {
    tools?.move(to)
    setMoved((known) => ({ ...known, ...to }))
    if (tools === null) void saveLayout(flow, { ...places, ...to }).catch(sayFault)
  }
  const node = nodes.find(({ id }) => id === chosen)
  // who goes through the events sees on the canvas where each one was, and keeps the list
  const isNode = node !== undefined && query.value.get('panel') !== 'events'
  const asked = query.value.get('side')
  const isRunning = flow.status === 'active' || flow.status === 'paused'
  const side = asked === 'edit' || asked === 'watch' ? asked : isRunning ? 'watch' : 'edit'
  return (
    <div class="page full flow">
      <Toolbar flow={flow} path={path}>
        {tools?.bar}
      </Toolbar>
      {tools?.notes}
      <CodeNote of={flow} />
      <Issues issues={flow.issues} choose={choose} />
      <div class={tools?.palette ? 'beside with-palette' : 'beside'}>
        {tools?.palette}
        {query.value.get('view') === 'table' ? (
          <NodeTable flow={flow.name} nodes={nodes} wires={wires} choose={choose} />
        ) : places === null ? (
          <Loading />
        ) : (
          <Canvas
            flow={flow.name}
            nodes={nodes}
            wires={wires}
            places={places}
            now={now}
            issues={flow.issues}
            categoryOf={categoryOf}
            chosen={chosen}
            choose={choose}
            move={move}
            edit={tools?.edit ?? null}
            selected={tools?.selected}
            added={tools?.added ?? null}
          />
        )}
        <aside class="panel" aria-label={isNode ? 'Node' : 'Events'}>
          {tools ? <Sides side={side} /> : null}
          {tools && side === 'edit' ? (
            tools.side(node)
          ) : isNode ? (
            <Inspector key={node.id} flow={flow} node={node} now={now} path={path} close={() => choose(null)} />
          ) : (
            <EventsList flow={flow.name} now={now} chosen={node?.id ?? null} choose={choose} />
          )}
        </aside>
      </div>
    </div>
  )
}

/** Null until what lays nodes out is here, which is loaded only when some have no place. */
function usePlaces(
  nodes: readonly Node[],
  { wires }: Wires,
  { flow, moved }: { readonly flow: Flow; readonly moved: Places },
): Places | null {
  const [layOut, setLayOut] = useState<typeof placesOf | null>(null)
  const known = useMemo(() => ({ ...flow.layout.nodes, ...moved }), [flow.layout, moved])
  const isKnown = isPlaced(nodes, known)
  useEffect(() => {
    if (isKnown || layOut !== null) return
    import('./lay-out.ts').then(({ placesOf: loaded }) => setLayOut(() => loaded), sayFault)
  }, [isKnown, layOut])
  return useMemo(
    () => (isKnown ? known : (layOut?.(nodes, wires, known) ?? null)),
    [isKnown, known, layOut, nodes, wires],
  )
}

/** What the panel is for: to change what is chosen, or to see what it does. */
const Sides = ({ side }: { side: 'edit' | 'watch' }) => (
  <div class="sides" role="group" aria-label="The panel">
    {(['edit', 'watch'] as const).map((one) => (
      <button key={one} class="chip" aria-pressed={side === one} onClick={() => setQuery({ side: one })}>
        {one === 'edit' ? 'Edit' : 'Watch'}
      </button>
    ))}
  </div>
)

/** Where nodes stand is for everybody, and no change of the flow. */
const saveLayout = (flow: Flow, places: Places): Promise<unknown> =>
  call('PUT', `/flows/${encodeURIComponent(flow.name)}/layout`, {
    ...flow.layout,
    nodes: Object.fromEntries(Object.entries(places).filter(([id]) => !id.startsWith('$'))),
  })

/** Said of a flow from TypeScript: what it is, and the one place where it is changed. */
const CodeNote = ({ of: { origin, code } }: { of: Flow }) =>
  origin === 'code' ? (
    <p class="code-note">
      <Icon name="copy" size={16} />
      <span>
        This flow is read only here: it is defined in <code>{code?.module ?? 'code of the engine'}</code>
        {code?.commit ? (
          <>
            {' '}
            of the commit <code title={code.commit}>{code.commit.slice(0, 12)}</code>
          </>
        ) : null}
        . Change it there and start the engine again; <code>service dev</code> takes changes at once.
      </span>
    </p>
  ) : null
