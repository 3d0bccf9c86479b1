/** What a node prints, as it prints it; read by its offset, so that nothing is missed or shown twice. */
import type { NodeLogs, Run } from '@flow-service/client-sdk'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { get, type Problem } from '../api/call.ts'
import { follow } from '../live/events.ts'
import { Empty, Loading } from '../parts/states.tsx'
import { query, setQuery } from '../router.ts'

/** Code units on the page; what is before them is an artifact once the node has ended. */
const MOST = 500_000

interface Shown {
  readonly text: string
  readonly cut: boolean
  readonly problem: string | null
}

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
      <Text key={node.node} run={run.id} node={node.node} traceback={node.traceback} />
    </>
  )
}

function Text({ run, node, traceback }: { run: string; node: string; traceback: string | null }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const box = useRef<HTMLPreElement>(null)
  // who reads further up stays there
  const isAtEnd = useRef(true)
  useEffect(() => followLog(run, node, setShown), [run, node])
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [shown])
  const look = ({ currentTarget: log }: { readonly currentTarget: HTMLPreElement }): void => {
    isAtEnd.current = log.scrollHeight - log.scrollTop - log.clientHeight < 40
  }
  if (shown === null) return <Loading />
  return (
    <>
      {shown.problem === null ? null : (
        <p class="fault" role="alert">
          {shown.problem}
        </p>
      )}
      {shown.cut ? (
        <p class="hint">The end of it; all of it is an artifact of the run once the node has ended.</p>
      ) : null}
      <pre class="log" tabIndex={0} ref={box} onScroll={look} aria-label={`What ${node} prints`}>
        {shown.text === '' && traceback === null ? 'Nothing was printed.' : shown.text}
        {traceback}
      </pre>
    </>
  )
}

/** Reads on whenever there is more, one request at a time. */
function followLog(run: string, node: string, show: (shown: Shown) => void): () => void {
  const path = `/runs/${encodeURIComponent(run)}/nodes/${encodeURIComponent(node)}/logs`
  let text = ''
  let cut = false
  let after = 0
  let isOver = false
  let wanted = true
  let reading: Promise<void> | null = null
  const read = async (): Promise<void> => {
    while (wanted && !isOver) {
      wanted = false
      // oxlint-disable-next-line no-await-in-loop -- a part begins where the one before ends
      const part = await get<NodeLogs>(`${path}?after=${after}`)
      cut ||= part.cut || text.length + part.text.length > MOST
      text = (text + part.text).slice(-MOST)
      wanted ||= part.text !== ''
      after = part.next
    }
    if (!isOver) show({ text, cut, problem: null })
  }
  const look = (): void => {
    wanted = true
    reading ??= read()
      .catch((problem: Problem) => {
        if (!isOver) show({ text, cut, problem: problem.message })
      })
      .finally(() => (reading = null))
  }
  const end = follow({ kinds: ['log', 'run', 'node'], runs: [run] }, look)
  look()
  return () => {
    isOver = true
    end()
  }
}
