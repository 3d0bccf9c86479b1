/** A whole service on a free port, on the database of the test project, for the tests of what it tells about itself. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Clock, DeadLetter } from '@flow-service/core'
import { batchFlow, input, liveFlow, node, stage, t } from '@flow-service/flow-sdk'
import type { CascadeRecord, FlowDocumentInput, Problem } from '@flow-service/protocol'
import express from 'express'
import pino from 'pino'
import { expect } from 'vitest'

import { createApi } from '../../src/api.ts'
import { artifacts } from '../../src/artifacts/slice.ts'
import { accountNews, sessions, users } from '../../src/auth/slice.ts'
import { openEngine } from '../../src/compose.ts'
import { resolveConfig, type ServiceConfig } from '../../src/config.ts'
import { database } from '../../src/db/layer.ts'
import { deviceGuests, knownDevices } from '../../src/devices/slice.ts'
import { lease, links } from '../../src/engines/slice.ts'
import { bus, deadLetters, eventLog, eventSockets } from '../../src/events/slice.ts'
import { claims } from '../../src/flows/slice.ts'
import { createUpgradeRouter } from '../../src/http/upgrade.ts'
import { observability } from '../../src/observability/slice.ts'
import { createClock } from '../../src/process/clock.ts'
import { nounsOf } from '../../src/process/layer.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { secrets } from '../../src/secrets/slice.ts'
import { databaseAt } from '../backend.ts'
import { listen } from '../http/server.ts'

/** What the node `work` of the flow `lab` and the stage `first` of `sums` wait for when they get 999. */
export let gate = Promise.withResolvers<void>()
/** A new gate; the former one is opened. */
export const closeGate = (): void => {
  gate.resolve()
  gate = Promise.withResolvers()
}

const work = node('work', {
  in: { x: t.int },
  out: { y: t.int },
  async run({ x }) {
    if (x === 999) await gate.promise
    if (x < 0) throw new RangeError(`${x} is negative \0 \ud800`)
    return { y: x * 2 }
  },
})
const lab = liveFlow('lab', { x: t.int }, (messages, use) => void use(work, { x: messages.x }))

const first = stage('first', {
  in: { n: t.int },
  out: { m: t.int },
  async run({ n }) {
    if (n === 999) await gate.promise
    return { m: n + 1 }
  },
})
const second = stage('second', {
  in: { m: t.int },
  out: { sum: t.int },
  run({ m }) {
    if (m < 0) throw new RangeError('too small')
    return { sum: m }
  },
})
const sums = batchFlow('sums', { n: input(t.int, 3) }, (p, use) => ({
  sum: use(second, { m: use(first, { n: p.n }).m }).sum,
}))

const shown = {
  accountNews,
  artifacts,
  bus,
  claims,
  database,
  deadLetters,
  deviceGuests,
  eventLog,
  knownDevices,
  lease,
  links,
  observability,
  secrets,
  sessions,
  sockets: eventSockets,
  users,
}

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  /** The body as a success. */
  readonly value: T
  /** The body as a refusal. */
  readonly problem: Problem
  readonly text: string
}

/** The key of secrets unless a test gives another one. */
const secretKey = 'a key for secrets of at least 32 bytes'

export type TestService = Awaited<ReturnType<typeof startService>>

/**
 * Starts a service with the flows `lab` (active) and `sums`, a superuser and the ordinary user ann. Its clock is the
 * machine's unless given.
 */
export async function startService(options: ServiceConfig = {}, clock: Clock = createClock()) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'observed-')))
  const place =
    options.databaseUrl === undefined ? await databaseAt(dataDir) : { dataDir, databaseUrl: options.databaseUrl }
  const config = resolveConfig({
    environment: 'local',
    logLevel: 'silent',
    timeZone: 'UTC',
    flows: [lab, sums],
    secretKey,
    ...options,
    ...place,
    sessionKey: 'a session key of at least 32 bytes',
  })
  const log = pino({ level: 'silent' })
  const lifecycle = new Lifecycle()
  const engine = await lifecycle.openAll(openEngine({ config, log, redactor: new Redactor(), clock }))
  const { users, sessions, ...nouns } = nounsOf(engine, shown)
  const upgrades = createUpgradeRouter({ log })
  const { server, port } = await listen(express().use(createApi({ engine, upgrades, failure: () => null }).router))
  upgrades.attach(server)
  const origin = `http://127.0.0.1:${port}`
  await nouns.lease.listensAt(`${origin}/api/v1`, origin)

  const signIn = async (email: string, superuser: boolean) => {
    const account = { email, password: 'a long password', superuser }
    await users.create(account).catch(() => undefined)
    const holder = await users.signIn(email, account.password)
    if (!holder) throw new Error(`${email} cannot sign in`)
    return (await sessions.issue(holder)).access_token
  }
  const caller =
    (token: string | null) =>
    async <T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
      const response = await fetch(path.startsWith('http') ? path : `${origin}/api/v1${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const value = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null
      return { status: response.status, headers: response.headers, value, problem: value, text }
    }
  const rootToken = await signIn('root@example.org', true)
  const annToken = await signIn('ann@example.org', false)
  const root = caller(rootToken)
  const ann = caller(annToken)
  await root('POST', '/flows/lab/start')

  const close = async (): Promise<void> => {
    await nouns.claims?.close()
    await upgrades.close()
    // links to other engines keep it open, and end with the engine
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await lifecycle.close()
    await closed
  }
  const { bus, deadLetters, eventLog } = nouns
  return {
    dataDir,
    origin,
    /** On a server: its id among the engines of the database. */
    engineId: nouns.lease.id,
    engine: nouns,
    bus,
    eventLog,
    deadLetter: (entry: DeadLetter) => deadLetters.record(entry, Date.now()),
    rootToken,
    annToken,
    root,
    ann,
    nobody: caller(null),
    /** Requests with a token, or a key. */
    caller,
    /** Adds a user; their requests. */
    signUp: async (email: string, superuser = false) => caller(await signIn(email, superuser)),
    /** Saves, publishes and, if it is live, starts a flow. */
    async publish(name: string, document: FlowDocumentInput): Promise<void> {
      const saved = await root<{ version: number }>('PUT', `/flows/${name}`, document)
      const published = await root('POST', `/flows/${name}/publish`, { version: saved.value.version })
      if (published.status !== 200) throw new Error(published.text)
      if (document.mode === 'batch') return
      const started = await root('POST', `/flows/${name}/start`)
      if (started.status !== 200) throw new Error(started.text)
    },
    /** Feeds the node `work` of `lab`; the cascade. */
    async feed(x: number): Promise<string> {
      const answer = await root<{ cascade: string }>('POST', '/flows/lab/nodes/work/trigger', { values: { x } })
      if (answer.status !== 202) throw new Error(answer.text)
      return answer.value.cascade
    },
    /** The listed cascade of an id once it is over. */
    async ended(id: string): Promise<CascadeRecord> {
      const find = async () =>
        (await ann<CascadeRecord[]>('GET', '/observability/runs?limit=500')).value.find((item) => item.id === id)
      await expect.poll(find).toMatchObject({ status: expect.not.stringMatching('running') })
      return (await find()) as CascadeRecord
    },
    /** Submits a run of a flow and resolves when it is finished. */
    async run(flow: string, params: object): Promise<string> {
      const { value } = await root<{ id: string }>('POST', `/runs/flows/${flow}`, { params, no_cache: true })
      const status = async () => (await root<{ status: string }>('GET', `/runs/${value.id}`)).value.status
      await expect.poll(status).not.toMatch(/queued|running/)
      return value.id
    },
    close,
    async [Symbol.asyncDispose]() {
      await close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
