/** The nodes of a run as the graph that it executed, each in its state. */
import type { FlowDocument, Run } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import { MiniGraph } from '../parts/mini-graph.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { setQuery } from '../router.ts'
import { graphOf, PARAMETERS } from './graph.ts'

import '../parts/mini-graph.css'

export function RunGraph({ run }: { run: Run }) {
  const { data: document, problem } = useResource<FlowDocument>(`/runs/${run.id}/document`).value
  if (document === undefined) {
    return problem ? <Empty title="No graph">What was imported, or has not begun yet, has none.</Empty> : <Loading />
  }
  return (
    <>
      <MiniGraph
        {...graphOf(run, document)}
        title={`Nodes of the run of ${run.flow}`}
        onNode={(node) => setQuery(node === PARAMETERS ? { tab: null } : { tab: 'logs', node })}
      />
      <p class="hint">A node leads to what it has printed.</p>
    </>
  )
}
