/**
 * Owns the event socket, in a thread of its own: parses what comes, keeps of live messages the newest value, and hands over
 * what has gathered when the page asks for it. So ten thousand events a second are at most sixty messages for the page.
 * `events.ts` starts it.
 */
import type { EventFrame } from '@flow-service/protocol'

/** What the page tells. */
export type Order = { readonly order: 'open'; readonly url: string } | { readonly order: 'close' | 'next' }

/** What the page is told. */
export type Told =
  | { readonly told: 'open' }
  | { readonly told: 'lost' }
  | { readonly told: 'frames'; readonly frames: readonly EventFrame[]; readonly received: number }

/** Frames that are not values wait for the page in this number; a hidden page asks for none. */
const MAX_WAITING = 5000

let socket: WebSocket | null = null
let isWanted = false
let received = 0
let others: EventFrame[] = []
/** The newest value of each message of a live flow, and of each curve of a run. */
const values = new Map<string, EventFrame>()

const tell = (told: Told): void => postMessage(told)

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  if (data.order === 'open') open(data.url)
  else if (data.order === 'close') close()
  else {
    isWanted = true
    handOver()
  }
})

function open(url: string): void {
  close()
  const opened = new WebSocket(url)
  socket = opened
  opened.addEventListener('open', () => tell({ told: 'open' }))
  opened.addEventListener('close', () => {
    if (socket === opened) tell({ told: 'lost' })
  })
  opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'string') return
    const said = JSON.parse(data) as EventFrame | EventFrame[]
    for (const frame of Array.isArray(said) ? said : [said]) take(frame)
    handOver()
  })
}

function close(): void {
  const closed = socket
  socket = null
  closed?.close()
  others = []
  values.clear()
}

function take(frame: EventFrame): void {
  received += 1
  if (frame.type === 'value') values.set(`${frame.message} ${frame.run}`, frame)
  else others.push(frame)
  if (others.length <= MAX_WAITING) return
  // whoever has missed so much begins anew, with the state of that moment
  socket?.close()
}

function handOver(): void {
  if (!isWanted || received === 0) return
  isWanted = false
  tell({ told: 'frames', frames: [...others, ...values.values()], received })
  received = 0
  others = []
  values.clear()
}
