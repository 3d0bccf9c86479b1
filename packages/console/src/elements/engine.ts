/**
 * The way of an element to the engine: requests with the token that the page gives, and the event socket. It knows nothing of
 * the console's session, and leaves nothing behind when it is closed.
 */
import type { EventFrame, FrameKind } from '@flow-service/protocol'

/** A token, or what fetches one: it is called again when the engine does not take the last one any more. */
export type Token = string | (() => Promise<string>)

/** Why an element does not show what it should; `status` 0 is no answer at all. */
export interface ServiceErrorDetail {
  readonly status: number
  readonly code: string
  readonly message: string
}

export class Refusal extends Error implements ServiceErrorDetail {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }

  /** Whether the same request may be answered another time. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

interface Wanted {
  readonly kinds: readonly FrameKind[]
  readonly runs?: readonly string[]
  readonly flows?: readonly string[]
}

export interface Engine {
  readonly get: <T>(path: string) => Promise<T>
  readonly post: <T>(path: string, body?: unknown) => Promise<T>
  /** Hears of events until the engine is closed, over lost connections too: each one begins with a snapshot. */
  readonly follow: (wanted: Wanted, listener: (frames: readonly EventFrame[]) => void) => void
  /** Ends requests, the socket and what waits. */
  readonly close: () => void
}

interface EngineOptions {
  /** Base URL of the API. */
  readonly src: string
  readonly token: Token
  /** Called with null when all is well again. */
  readonly told: (refusal: Refusal | null) => void
}

/** The page has failed to fetch one. */
const NO_TOKEN = 'no_token'
/** Milliseconds after a lost connection, doubled up to the most. */
const [FIRST_MS, MOST_MS] = [500, 15_000]

export function engineAt({ src, token, told }: EngineOptions): Engine {
  const base = new URL(src, document.baseURI).href.replace(/\/+$/, '')
  const over = new AbortController()
  let known: Promise<string> | null = null
  const tokenNow = (): Promise<string> =>
    (known ??= typeof token === 'string' ? Promise.resolve(token) : fetched(token))
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const asked = tokenNow()
    try {
      return await request(`${base}${path}`, { method, body, token: await asked, signal: over.signal })
    } catch (error) {
      if (!(error instanceof Refusal) || (error.status !== 401 && error.code !== NO_TOKEN)) throw error
      if (known === asked) known = null
      if (error.status !== 401 || typeof token === 'string') throw error
      return request(`${base}${path}`, { method, body, token: await tokenNow(), signal: over.signal })
    }
  }
  const post = <T>(path: string, body: unknown = {}): Promise<T> => send('POST', path, body)
  return {
    get: (path) => send('GET', path),
    post,
    follow(wanted, listener) {
      const ticket = async (): Promise<string> => {
        const answer = await post<{ ticket: string }>('/flows/ws-ticket')
        return addressOf(base, answer.ticket, wanted)
      }
      keepOpen({ address: ticket, listener, told, signal: over.signal })
    },
    close: () => over.abort(),
  }
}

async function fetched(token: () => Promise<string>): Promise<string> {
  try {
    return await token()
  } catch (error) {
    throw new Refusal(
      0,
      NO_TOKEN,
      `The page could not get a token: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

interface Request {
  readonly method: string
  readonly body: unknown
  readonly token: string
  readonly signal: AbortSignal
}

async function request<T>(url: string, { method, body, token, signal }: Request): Promise<T> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  let answer: Response
  try {
    answer = await fetch(url, {
      method,
      headers,
      signal,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new Refusal(
      0,
      'offline',
      'The engine does not answer, or does not let pages of this origin ask (SERVICE_CORS_ORIGINS).',
    )
  }
  const said: unknown = await answer.json().catch(() => undefined)
  if (answer.ok && said !== undefined) return said as T
  if (answer.ok) throw new Refusal(answer.status, 'no_engine', `What answers at ${url} is no engine.`)
  const { code, detail } = (said !== null && typeof said === 'object' ? said : {}) as Readonly<Record<string, unknown>>
  throw new Refusal(
    answer.status,
    typeof code === 'string' ? code : String(answer.status),
    typeof detail === 'string' ? detail : `The engine answered ${answer.status}.`,
  )
}

function addressOf(base: string, ticket: string, { kinds, runs, flows }: Wanted): string {
  const url = new URL(`${base}/flows/ws`)
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

interface Kept {
  /** Of a socket that is opened once, with a new ticket. */
  readonly address: () => Promise<string>
  readonly listener: (frames: readonly EventFrame[]) => void
  readonly told: (refusal: Refusal | null) => void
  readonly signal: AbortSignal
}

/** A socket that is opened again when it is lost. A refusal that stays one ends it. */
function keepOpen({ address, listener, told, signal }: Kept): void {
  let waitMs = FIRST_MS
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const lost = (refusal: Refusal): void => {
    if (signal.aborted) return
    told(refusal)
    if (!refusal.isPassing) return
    // not all pages at once, when an engine comes back
    timer = setTimeout(() => void connect(), waitMs * (0.75 + Math.random() / 2))
    waitMs = Math.min(2 * waitMs, MOST_MS)
  }
  const connect = async (): Promise<void> => {
    let url: string
    try {
      url = await address()
    } catch (error) {
      return lost(error instanceof Refusal ? error : new Refusal(0, 'unknown', String(error)))
    }
    if (signal.aborted) return
    const opened = new WebSocket(url)
    socket = opened
    opened.addEventListener('open', () => {
      waitMs = FIRST_MS
      told(null)
    })
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (signal.aborted) return
      const said = JSON.parse(data) as EventFrame | EventFrame[]
      listener(Array.isArray(said) ? said : [said])
    })
    opened.addEventListener('close', () => lost(new Refusal(0, 'offline', 'The connection to the engine is lost.')))
  }
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    socket?.close()
    socket = null
  })
  void connect()
}
