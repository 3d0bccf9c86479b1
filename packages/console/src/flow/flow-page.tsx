/** One flow: its graph with what happens in it, what its nodes are, and the list of events. */
import type { Flow, FlowGraph, NodeType } from '@flow-service/client-sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { call } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { Loading, Refused } from '../parts/states.tsx'
import { sayFault } from '../parts/toast.tsx'
import { query, setQuery } from '../router.ts'
import { Canvas } from './canvas.tsx'
import { EventsList } from './events-list.tsx'
import { drawnNodes, flowsRead, wiresOf } from './graph.ts'
import { Inspector } from './inspector.tsx'
import { Issues } from './issues.tsx'
import { type FlowNow, followFlow } from './live.ts'
import { NodeTable } from './node-table.tsx'
import { type Places, placesOf } from './places.ts'
import { Toolbar } from './toolbar.tsx'

/** Asked for again at most so often while it changes. */
const AGAIN_MS = 500

export function FlowPage({ name }: { name: string }) {
  const isPublished = query.value.get('form') === 'published'
  const path = `/flows/${encodeURIComponent(name)}${isPublished ? '?published=true' : ''}`
  const { data: flow, problem } = useResource<Flow>(path).value
  const now = useFlow(name, flow, path)
  if (flow === undefined || now === null) {
    return <div class="page">{problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />}</div>
  }
  return <ShownFlow flow={flow} now={now} path={path} />
}

/** Follows the flow, and asks for it again when it, or a node of it, has changed. */
function useFlow(name: string, flow: Flow | undefined, path: string): FlowNow | null {
  const others = flow === undefined ? null : flowsRead(name, flow.nodes).join()
  const [now, setNow] = useState<FlowNow | null>(null)
  useEffect(() => {
    if (others === null) return
    const next = followFlow(name, others.split(',').filter(Boolean))
    let timer = 0
    next.listen((frames) => {
      const isTold = frames.some(
        (frame) =>
          (frame.type === 'flow' && frame.name === name) || (frame.type === 'node' && frame.status === 'failed'),
      )
      if (!isTold || timer !== 0) return
      timer = window.setTimeout(() => {
        timer = 0
        void load(path)
      }, AGAIN_MS)
    })
    setNow(next)
    return () => {
      clearTimeout(timer)
      next.close()
    }
  }, [name, others, path])
  return now
}

function ShownFlow({ flow, now, path }: { flow: Flow; now: FlowNow; path: string }) {
  const types = useResource<NodeType[]>('/flows/node-types').value.data
  const graph = useResource<FlowGraph>('/flows/graph').value.data ?? null
  const categoryOf = useMemo(() => {
    const known = new Map((types ?? []).map(({ type, category }) => [type, category]))
    return (type: string): string => known.get(type) ?? 'logic'
  }, [types])
  const nodes = useMemo(() => drawnNodes(flow.name, flow), [flow])
  const wires = useMemo(() => wiresOf(flow.name, nodes, graph), [flow.name, nodes, graph])
  const [moved, setMoved] = useState<Places>({})
  const places = useMemo(
    () => placesOf(nodes, wires.wires, { ...flow.layout.nodes, ...moved }),
    [nodes, wires, flow.layout, moved],
  )
  const chosen = query.value.get('node')
  const choose = (node: string | null): void => setQuery({ node })
  const move = (to: Places): void => {
    setMoved((known) => ({ ...known, ...to }))
    void saveLayout(flow, { ...places, ...to }).catch(sayFault)
  }
  const node = nodes.find(({ id }) => id === chosen)
  return (
    <div class="page full flow">
      <Toolbar flow={flow} path={path} />
      <Issues issues={flow.issues} choose={choose} />
      <div class="beside">
        {query.value.get('view') === 'table' ? (
          <NodeTable flow={flow.name} nodes={nodes} wires={wires} choose={choose} />
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
          />
        )}
        <aside class="panel" aria-label={node ? 'Node' : 'Events'}>
          {node ? (
            <Inspector key={node.id} flow={flow} node={node} now={now} path={path} close={() => choose(null)} />
          ) : (
            <EventsList flow={flow.name} now={now} choose={choose} />
          )}
        </aside>
      </div>
    </div>
  )
}

/** Where nodes stand is for everybody, and no change of the flow. */
const saveLayout = (flow: Flow, places: Places): Promise<unknown> =>
  call('PUT', `/flows/${encodeURIComponent(flow.name)}/layout`, {
    ...flow.layout,
    nodes: Object.fromEntries(Object.entries(places).filter(([id]) => !id.startsWith('$'))),
  })
