/**
 * Shows the pictures of a message until the signal aborts: one at a time, and of several that came meanwhile the newest.
 * When the connection breaks, it connects again.
 */
export async function showCamera(
  { api, token, message }: { api: string; token: string; message: string },
  draw: (picture: Blob) => Promise<void>,
  signal: AbortSignal,
  pauseMs = 1000,
): Promise<void> {
  let newest: Blob | null = null
  let isDrawing = false
  const drawNewest = async (): Promise<void> => {
    if (isDrawing) return
    isDrawing = true
    while (newest) {
      const picture = newest
      newest = null
      await draw(picture).catch(() => undefined)
    }
    isDrawing = false
  }

  const connect = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${api}/flows/ws-ticket`, { method: 'POST', headers, signal })
    const { ticket } = (await answer.json()) as { ticket: string }
    // `flows` without a name: nothing but what is asked for
    const query = new URLSearchParams({ ticket, flows: '' })
    const socket = new WebSocket(`${api.replace(/^http/, 'ws')}/flows/ws?${query.toString()}`)
    socket.binaryType = 'arraybuffer'
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'media', names: [message] })))
    socket.addEventListener('message', ({ data }) => {
      if (!(data instanceof ArrayBuffer)) return
      const length = new DataView(data).getUint32(0)
      const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as { media_type: string }
      newest = new Blob([new Uint8Array(data, 4 + length)], { type: header.media_type })
      void drawNewest()
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
