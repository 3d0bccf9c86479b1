/** What the nodes of a run print: one of them at a time. */
import type { Run } from '@flow-service/client-sdk'

import { LogText } from '../parts/log-text.tsx'
import { Empty } from '../parts/states.tsx'
import { query, setQuery } from '../router.ts'

export function Logs({ run }: { run: Run }) {
  const wanted = query.value.get('node')
  const node = run.nodes.find((one) => one.node === wanted) ?? run.nodes.find(({ logs }) => logs !== '') ?? run.nodes[0]
  if (!node) return <Empty title="No logs">What ran elsewhere has none here.</Empty>
  return (
    <>
      <label class="choice">
        Node{' '}
        <select value={node.node} onChange={(event) => setQuery({ node: event.currentTarget.value })}>
          {run.nodes.map((one) => (
            <option key={one.node}>{one.node}</option>
          ))}
        </select>
      </label>
      <LogText
        key={node.node}
        path={`/runs/${encodeURIComponent(run.id)}/nodes/${encodeURIComponent(node.node)}/logs`}
        of={{ runs: [run.id] }}
        node={node.node}
        traceback={node.traceback}
      />
    </>
  )
}
