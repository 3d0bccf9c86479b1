/** One flow by its name: followed while its page is open, and edited where it can be. */
import type { Flow } from '@flow-service/client-sdk'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { usePageKeys } from '../keys.ts'
import { paced } from '../live/paced.ts'
import { Loading, Refused } from '../parts/states.tsx'
import { query } from '../router.ts'
import { flowsRead } from './graph.ts'
import { type FlowNow, followFlow } from './live.ts'
import { noTools, ShownFlow, type ShownProps } from './shown-flow.tsx'

/** Asked for again at most so often while it changes. */
const AGAIN_MS = 500

const keys = [
  ['Tab, arrows', 'from node to node'],
  ['Enter, Escape', 'open a node, close it'],
  ['1', 'see the whole'],
  ['a', 'add a node'],
  ['c', 'draw a wire from the output'],
  ['Delete', 'remove what is chosen'],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo, do again'],
  ['Ctrl+C, Ctrl+V', 'copy and paste nodes'],
  ['Ctrl+S', 'save the draft now'],
  ['Ctrl+Enter', 'publish'],
] as const

export function FlowPage({ name }: { name: string }) {
  usePageKeys(keys)
  const isPublished = query.value.get('form') === 'published'
  const path = `/flows/${encodeURIComponent(name)}${isPublished ? '?published=true' : ''}`
  const { data: flow, problem } = useResource<Flow>(path).value
  const now = useFlow(name, flow, path)
  if (flow === undefined || now === null) {
    return <div class="page">{problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />}</div>
  }
  if (isPublished || flow.origin === 'code') return <ShownFlow flow={flow} now={now} path={path} useTools={noTools} />
  return <EditedFlow flow={flow} now={now} path={path} />
}

let loaded: ComponentType<ShownProps> | null = null

/** What edits is loaded with the first flow that can be edited. */
function EditedFlow(props: ShownProps) {
  const [Edited, setEdited] = useState<ComponentType<ShownProps> | null>(() => loaded)
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    import('./editor.tsx').then(
      (module) => {
        loaded = module.EditedFlow
        setEdited(() => module.EditedFlow)
      },
      () => setLost(true),
    )
  }, [])
  if (Edited) return <Edited {...props} />
  return isLost ? <ShownFlow {...props} useTools={noTools} /> : <Loading />
}

/** Follows the flow, and asks for it again when it, or a node of it, has changed. */
function useFlow(name: string, flow: Flow | undefined, path: string): FlowNow | null {
  const others = flow === undefined ? null : flowsRead(name, flow.nodes).join()
  const [now, setNow] = useState<FlowNow | null>(null)
  useEffect(() => {
    if (others === null) return
    const next = followFlow(name, others.split(',').filter(Boolean))
    const again = paced(AGAIN_MS, () => void load(path))
    next.listen((frames) => {
      const isTold = frames.some(
        (frame) =>
          (frame.type === 'flow' && frame.name === name) ||
          (frame.type === 'node' && frame.run === null && frame.status === 'failed'),
      )
      if (isTold) again.ask()
    })
    setNow(next)
    return () => {
      again.end()
      next.close()
    }
  }, [name, others, path])
  return now
}
