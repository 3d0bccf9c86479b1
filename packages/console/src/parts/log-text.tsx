/** What a node prints, as it prints it; read by its offset, so that nothing is missed or shown twice. */
import type { NodeLogs } from '@flow-service/client-sdk'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { get, type Problem } from '../api/call.ts'
import { follow, type Wanted } from '../live/events.ts'
import { Loading } from './states.tsx'

/** Code units on the page; what is before them is an artifact once the node has ended. */
const MOST = 500_000

interface Shown {
  readonly text: string
  readonly cut: boolean
  readonly problem: string | null
}

interface LogTextProps {
  /** Of the endpoint that tells it, without a query. */
  readonly path: string
  readonly node: string
  /** Where there may be more of it after an event. */
  readonly of: Pick<Wanted, 'runs' | 'flows'>
  /** Behind it, where the node has failed. */
  readonly traceback: string | null
}

export function LogText({ path, node, of, traceback }: LogTextProps) {
  const [shown, setShown] = useState<Shown | null>(null)
  const box = useRef<HTMLPreElement>(null)
  // who reads further up stays there
  const isAtEnd = useRef(true)
  useEffect(() => followLog(path, of, setShown), [path])
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
      {shown.cut ? <p class="hint">What it printed before is not shown here.</p> : null}
      <pre class="log" tabIndex={0} ref={box} onScroll={look} aria-label={`What ${node} prints`}>
        {shown.text === '' && traceback === null ? 'Nothing was printed.' : shown.text}
        {traceback}
      </pre>
    </>
  )
}

/** Reads on whenever there is more, one request at a time. */
function followLog(path: string, of: LogTextProps['of'], show: (shown: Shown) => void): () => void {
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
  const end = follow({ kinds: ['log', 'run', 'node'], ...of }, look)
  look()
  return () => {
    isOver = true
    end()
  }
}
