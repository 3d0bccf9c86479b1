/** The event socket without the client: yields the frames of some flows, as text. */
export async function* frames(api: string, token: string, flows: readonly string[]): AsyncGenerator<string, void> {
  const answer = await fetch(`${api}/flows/ws-ticket`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const { ticket } = (await answer.json()) as { ticket: string }
  const query = new URLSearchParams({ ticket, flows: flows.join(',') })
  const socket = new WebSocket(`${api.replace(/^http/, 'ws')}/flows/ws?${query.toString()}`)

  const waiting: string[] = []
  let wake = (): void => {}
  socket.addEventListener('message', ({ data }) => {
    waiting.push(String(data))
    wake()
  })
  socket.addEventListener('close', () => wake())
  try {
    while (waiting.length > 0 || socket.readyState <= WebSocket.OPEN) {
      const frame = waiting.shift()
      if (frame !== undefined) yield frame
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    socket.close()
  }
}
