/** A value of a message, and when it came about. */
export interface Value {
  readonly message: string
  readonly value: unknown
  readonly ts: string
}
type Frame = ({ type: 'value' } & Value) | { type: 'snapshot'; values: Value[] } | { type: 'error'; detail: string }

/**
 * Tells the newest values of flows until the signal aborts: first what all messages carry, then each tenth of a second what has
 * changed. When the connection breaks, it connects again. Runs in a page, in a worker, and in Node.
 */
export async function followValues(
  { api, token, flows }: { api: string; token: string; flows: readonly string[] },
  tell: (values: readonly Value[]) => void,
  signal: AbortSignal,
  pauseMs = 1000,
): Promise<void> {
  const connect = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${api}/flows/ws-ticket`, { method: 'POST', headers, signal })
    const { ticket } = (await answer.json()) as { ticket: string }
    const query = new URLSearchParams({
      ticket,
      flows: flows.join(','),
      kinds: 'value',
      batch: '100',
      values: 'newest',
    })
    const socket = new WebSocket(`${api.replace(/^http/, 'ws')}/flows/ws?${query.toString()}`)
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    socket.addEventListener('message', ({ data }) => {
      const window = JSON.parse(String(data)) as Frame[]
      tell(window.flatMap((frame) => (frame.type === 'snapshot' ? frame.values : frame.type === 'value' ? frame : [])))
    })
    const close = (): void => socket.close()
    signal.addEventListener('abort', close)
    if (signal.aborted) close()
    await closed
    signal.removeEventListener('abort', close)
  }

  while (!signal.aborted) {
    await connect().catch(() => undefined)
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
