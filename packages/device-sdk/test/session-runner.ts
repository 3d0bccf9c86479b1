/**
 * Plays the sessions of the test vectors: the engine's side on a scripted server, the user's side by a driver, which stands for
 * an SDK in any language. The page of the vectors, the README of `protocol`, tells what each step means.
 * @module
 */
import vectors from '@flow-service/protocol/device-vectors.json' with { type: 'json' }
import { expect } from 'vitest'

import type { Queue } from './queue.ts'
import {
  accept,
  answer,
  type ScriptedRequest,
  ScriptedServer,
  type ScriptedSocket,
  type ServerFrame,
} from './scripted-server.ts'

type Fields = Readonly<Record<string, unknown>>

/** A session: steps with a single member each, which is the verb. */
export interface Session {
  readonly name: string
  readonly kind: 'connect' | 'pair'
  readonly steps: readonly Fields[]
}

/** All sessions. */
export const sessions = vectors.sessions as unknown as readonly Session[]

/** An SDK, and the user of it. */
export interface Driver {
  /** What the SDK has told its user. */
  readonly events: Queue<Fields>
  /** Connects with a credential, or pairs. */
  begin(kind: Session['kind'], at: { readonly url: string; readonly credential: string }): void | Promise<void>
  /** Does what the step `client` says; resolves to what the SDK answers: `frame`, `dropped` and `config`. */
  act(action: Fields): unknown
  /** Lets seconds pass. When it pairs, it waits until the SDK pauses for no longer than that. */
  advance(seconds: number, kind: Session['kind']): Promise<void>
}

/** A second passes for each so many publications. */
const PER_SECOND = 100
const API = '/api/v1'

/** Plays a session from its first step to its last. Rejects at the step that went another way. */
export async function play(session: Session, driver: Driver): Promise<void> {
  await using server = await ScriptedServer.start()
  await driver.begin(session.kind, { url: server.url, credential: vectors.credential })
  const stage = new Stage(server, driver, session.kind)
  for (const [at, step] of session.steps.entries()) {
    const [[verb, given] = ['', null]] = Object.entries(resolved(step) as Fields)
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('nothing happens')), 50_000)
    const done = stage.verbs[verb]?.(given as never) ?? Promise.reject(new Error('no such step'))
    await Promise.race([done, late.promise])
      .catch((error: Error) => {
        error.message = `step ${at}, ${JSON.stringify(step).slice(0, 200)}: ${error.message}`
        throw error
      })
      .finally(() => clearTimeout(timer))
  }
  expect(driver.events.left).toEqual([])
}

/** Puts fixtures and the credential in their places. */
function resolved(value: unknown): unknown {
  if (typeof value === 'string') return value.replace('$credential', vectors.credential)
  if (Array.isArray(value)) return value.map(resolved)
  if (typeof value !== 'object' || value === null) return value
  const { $use, ...rest } = value as Fields
  const fixture = (vectors.fixtures as Fields)[$use as string] as Fields | undefined
  return Object.fromEntries(Object.entries({ ...fixture, ...rest }).map(([key, part]) => [key, resolved(part)]))
}

const same = (actual: unknown, expected: unknown): void => expect(actual).toEqual(expected)
const like = (actual: unknown, expected: Fields): void => expect(actual).toMatchObject(expected)

class Stage {
  readonly #server: ScriptedServer
  readonly #driver: Driver
  readonly #kind: Session['kind']
  #socket: ScriptedSocket | null = null
  #request: ScriptedRequest | null = null
  /** Texts that the client has chosen, by the names of the session. */
  readonly #ids = new Map<string, unknown>()

  constructor(server: ScriptedServer, driver: Driver, kind: Session['kind']) {
    this.#server = server
    this.#driver = driver
    this.#kind = kind
  }

  readonly verbs: Readonly<Record<string, (given: never) => Promise<void>>> = {
    accept: async ({ with: first }: { with?: readonly ServerFrame[] }) => {
      const request = await this.#upgrade()
      this.#socket = accept(request, first)
    },
    refuse: async ({ status }: { status: number }) => answer(await this.#upgrade(), { status, body: '{}' }),
    send: async (frame: Fields) => this.#open.send([{ opcode: 'text', json: this.#named(frame) }]),
    send_frames: ({ frames, tcp }: { frames: readonly ServerFrame[]; tcp: 'one' | 'bytes' }) =>
      this.#open.send(frames, tcp),
    send_hex: async (hex: string) => this.#open.sendBytes(Buffer.from(hex, 'hex')),
    expect_text: async (given: Fields) => {
      const text = JSON.parse(await this.#open.texts.next()) as Fields
      const { $id } = (given.id ?? {}) as Fields
      if ($id !== undefined) {
        same(typeof text.id, 'string')
        same(text.id, this.#ids.get($id as string) ?? text.id)
        this.#ids.set($id as string, text.id)
      }
      like(text, this.#named(given))
    },
    expect_binary: async ({ header, bytes_hex }: { header: Fields; bytes_hex: string }) => {
      const frame = await this.#open.binaries.next()
      const end = 4 + frame.readUInt32BE()
      const said = JSON.parse(frame.subarray(4, end).toString()) as Fields
      like(said, header)
      same(typeof said.ts, 'number')
      same(frame.subarray(end).toString('hex'), bytes_hex)
    },
    expect_pong: async (hex: string) => same((await this.#open.pongs.next()).toString('hex'), hex),
    expect_publishes: async ({ port, from, to }: { port: string; from: number; to: number }) => {
      for (let value = from; value <= to; value++) {
        if ((value - from) % PER_SECOND === PER_SECOND - 1) await this.#driver.advance(1, this.#kind)
        const text = JSON.parse(await this.#open.texts.next()) as Fields
        like(text, { type: 'publish', port, value })
      }
    },
    expect_gone: () => this.#open.gone,
    close: ({ code, reason }: { code?: number; reason?: string }) => this.#open.close(code, reason),
    cut: async () => this.#open.cut(),
    expect_request: async ({ method, path, headers = {}, json, bytes_hex }: Fields) => {
      const request = await this.#server.requests.next()
      this.#request = request
      same([request.method, request.path], [method, `${API}${path as string}`])
      like(request.headers, headers as Fields)
      if (json !== undefined) same(JSON.parse(request.body.toString()), json)
      if (bytes_hex !== undefined) same(request.body.toString('hex'), bytes_hex)
    },
    answer: async (
      given: 'cut' | { status: number; headers?: Record<string, string>; json?: unknown; text?: string },
    ) => {
      const request = this.#request as ScriptedRequest
      if (given === 'cut') request.socket.resetAndDestroy()
      else
        answer(request, { ...given, body: given.text ?? (given.json === undefined ? '' : JSON.stringify(given.json)) })
    },
    advance: (seconds: number) => this.#driver.advance(seconds, this.#kind),
    client: async (action: Readonly<Record<string, Fields>>) => {
      const answered = await this.#driver.act(action)
      if (action.frame) same(answered, action.frame.sent)
      if (action.dropped !== undefined) same(answered, action.dropped)
      if (action.config) same(answered, action.config.is)
    },
    expect_events: async (events: readonly Fields[]) => {
      for (const event of events) like(await this.#driver.events.next(), event)
    },
  }

  get #open(): ScriptedSocket {
    if (this.#socket === null) throw new Error('no socket is open')
    return this.#socket
  }

  async #upgrade(): Promise<ScriptedRequest> {
    const request = await this.#server.upgrades.next()
    like(request, {
      method: 'GET',
      path: `${API}/flows/ws`,
      headers: { authorization: `Bearer ${vectors.credential}` },
    })
    return request
  }

  #named(frame: Fields): Fields {
    const { $id } = (frame.id ?? {}) as Fields
    return $id === undefined ? frame : { ...frame, id: this.#ids.get($id as string) }
  }
}
