/**
 * What the engine tells while the page is open. `follow` opens the event socket for a page and closes it with it; one socket
 * serves all parts of the page.
 */
import type { EventFrame, FrameKind } from '@flow-service/protocol'

import { base, post, Problem } from '../api/call.ts'
import type { Order, Told } from './events-worker.ts'
// oxlint-disable-next-line import/default -- what the bundler makes of it
import workerUrl from './events-worker.ts?worker&url'
import { link } from './link.ts'

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL(url: string): string },
      ): {
        createScriptURL(url: string): unknown
      }
    }
  }
}

/** `received`: how many frames there were, of which only the newest of a message are told. */
type Listener = (frames: readonly EventFrame[], received: number) => void

/** Milliseconds after a lost connection, doubled up to the most. */
const [FIRST_MS, MOST_MS] = [500, 15_000]

// the one script that the page's policy (Trusted Types) lets be started
const here = new URL(workerUrl, import.meta.url).href
const policy = window.trustedTypes?.createPolicy('console', {
  createScriptURL(url) {
    if (url !== here) throw new TypeError(`${url} is no script of the console`)
    return url
  },
})

/** What is heard of. */
export interface Wanted {
  readonly kinds: readonly FrameKind[]
  /** Of runs only these; all unless given. */
  readonly runs?: readonly string[]
  /** What is of flows: only of these; of all unless given. */
  readonly flows?: readonly string[]
}

/** Hears of events until the result is called. */
export function follow(wanted: Wanted, listener: Listener): () => void {
  let worker: Worker | null = null
  let isOver = false
  let timer = 0
  let frame = 0
  let waitMs = FIRST_MS
  const order = (what: Order): void => worker?.postMessage(what)
  const connect = async (): Promise<void> => {
    link.value = link.peek() === 'lost' ? 'lost' : 'opening'
    worker ??= begin()
    try {
      const { ticket } = await post<{ ticket: string }>('/flows/ws-ticket')
      if (!isOver) order({ order: 'open', url: address(ticket, wanted) })
    } catch (error) {
      if (!(error instanceof Problem && error.status === 401)) lost()
    }
  }
  const lost = (): void => {
    if (isOver) return
    link.value = 'lost'
    clearTimeout(timer)
    // not all pages at once, when an engine comes back
    timer = window.setTimeout(() => void connect(), waitMs * (0.75 + Math.random() / 2))
    waitMs = Math.min(2 * waitMs, MOST_MS)
  }
  const ask = (): void => {
    frame = requestAnimationFrame(() => order({ order: 'next' }))
  }
  const begin = (): Worker => {
    const begun = new Worker((policy?.createScriptURL(here) ?? here) as string, { type: 'module' })
    begun.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if (isOver) return
      if (data.told === 'lost') return lost()
      if (data.told === 'open') {
        waitMs = FIRST_MS
        link.value = 'open'
        return
      }
      listener(data.frames, data.received)
      ask()
    })
    // its script comes from the engine too, which may go away before that has come
    begun.addEventListener('error', () => {
      begun.terminate()
      worker = null
      lost()
    })
    begun.postMessage({ order: 'next' } satisfies Order)
    return begun
  }
  void connect()
  return () => {
    isOver = true
    clearTimeout(timer)
    cancelAnimationFrame(frame)
    worker?.terminate()
    link.value = 'closed'
  }
}

function address(ticket: string, { kinds, runs, flows }: Wanted): string {
  const url = new URL(`${base}/flows/ws`, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  url.search = new URLSearchParams({
    ticket,
    kinds: kinds.join(),
    ...(runs && { runs: runs.join() }),
    ...(flows && { flows: flows.join() }),
    batch: '50',
    values: 'newest',
  }).toString()
  return url.href
}
