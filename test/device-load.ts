/** Boards that are paired, and devices that publish and are renamed, while engines are killed. */
import type { PairingStarted } from '@flow-service/protocol'

import { DeviceClient, poll, startPairing } from './device-client.ts'
import { publishFlow } from './documents.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Load } from './under-kills.ts'

/** How far a board is, as acknowledged; `credential` once it has polled it. */
interface Board {
  readonly id: string
  step: 'new' | 'created' | 'asked' | 'adopted' | 'polled' | 'used'
  /** A step has no answer yet. */
  isPending: boolean
  request: PairingStarted | null
  credential: string
}

/** A device of a live flow, whose values rise. */
interface Speaker {
  readonly id: string
  credential: string
  version: number
  /** The last value that was acknowledged. */
  level: number
  /** Acknowledged since the history was looked at. */
  unread: number[]
}

const SPEAKERS = 2
const order = ['new', 'created', 'asked', 'adopted', 'polled', 'used'] as const

/** Devices, and the book of what was acknowledged. */
export class DeviceLoad implements Load {
  readonly #speakers = Array.from({ length: SPEAKERS }, (_, at): Speaker => {
    return { id: `speaker${at}`, credential: '', version: 1, level: 0, unread: [] }
  })
  #board: Board = nextBoard(0)
  #boards = 0

  /** Boards that have gone the whole way. */
  get paired(): number {
    return this.#boards
  }

  async setUp(engine: EngineProcess): Promise<void> {
    const { client } = engine
    for (const speaker of this.#speakers) {
      await client.http.devices.create({ id: speaker.id })
      const { code, secret } = await startPairing(engine)
      await client.http.devices.pair({ id: speaker.id, body: { code } })
      speaker.credential = (await poll(engine, code, secret)).device?.credential ?? ''
    }
    const nodes = this.#speakers.map(({ id }) => {
      const port = { direction: 'output', name: id, port: 'level', dtype: 'int' }
      return { id, type: 'device', settings: { device: id }, ports: [port] }
    })
    await publishFlow(client, 'hall', { mode: 'live', nodes })
    await client.http.flows.start({ name: 'hall' })
  }

  lanes(engine: EngineProcess, acknowledged: () => void): Promise<never>[] {
    const speaking = this.#speakers.map(async (speaker): Promise<never> => {
      const device = await DeviceClient.connect(engine, speaker.credential)
      const gone = device.closed.then(() => Promise.reject(new Error('the engine is gone')))
      for (;;) {
        await Promise.race([this.#publish(speaker, device), gone])
        acknowledged()
        await this.#rename(engine, speaker)
        acknowledged()
      }
    })
    const pairing = async (): Promise<never> => {
      for (;;) {
        await this.#proceed(engine)
        acknowledged()
      }
    }
    return [...speaking, pairing()]
  }

  async check(engine: EngineProcess): Promise<string[]> {
    const wrong = await this.#oldBoard(engine)
    for (const speaker of this.#speakers) wrong.push(...(await this.#oldSpeaker(engine, speaker)))
    return wrong
  }

  settle(engine: EngineProcess): Promise<string[]> {
    return this.check(engine)
  }

  async #publish(speaker: Speaker, device: DeviceClient): Promise<void> {
    const value = speaker.level + 1
    const { type } = await device.publish({ port: 'level' }, value)
    if (type !== 'published') throw new Error(`a value was answered with ${type}`)
    speaker.level = value
    speaker.unread.push(value)
  }

  async #rename({ client }: EngineProcess, speaker: Speaker): Promise<void> {
    const { id, version } = speaker
    speaker.version = (await client.http.devices.save({ id, version, name: `name ${version + 1}` })).version
  }

  /** The next step of a board on its way to a credential that it has used. */
  async #proceed(engine: EngineProcess): Promise<void> {
    const board = this.#board
    const { id, step } = board
    board.isPending = true
    if (step === 'new') await engine.client.http.devices.create({ id })
    else if (step === 'created') board.request = await startPairing(engine, { board: id })
    else if (step === 'asked') await engine.client.http.devices.pair({ id, body: { code: board.request?.code ?? '' } })
    else if (step === 'adopted') board.credential = await this.#credentialOf(engine)
    else await (await DeviceClient.connect(engine, board.credential)).close()
    board.isPending = false
    board.step = order[order.indexOf(step) + 1] ?? 'used'
    if (board.step === 'used') this.#board = nextBoard(++this.#boards)
  }

  async #credentialOf(engine: EngineProcess): Promise<string> {
    const device = await polled(engine, this.#board)
    if (device === null || device === 'waiting') throw new Error(`${this.#board.id} was adopted, and polls nothing`)
    return device.credential
  }

  /** A board is as far as acknowledged, or as the request without an answer would have brought it. */
  async #oldBoard(engine: EngineProcess): Promise<string[]> {
    const board = this.#board
    const { id, step, isPending } = board
    const found = await this.#stepOf(engine)
    const at = order.indexOf(step)
    const isRight = found === step || (isPending && found === order[at + 1])
    board.isPending = false
    board.step = found
    // who has not heard the answer to its start asks again
    if (found === 'created') board.request = null
    if (found === 'used') this.#board = nextBoard(++this.#boards)
    return isRight ? [] : [`${id} was ${isPending ? 'to go on from' : ''} ${step}, and is ${found}`]
  }

  async #stepOf(engine: EngineProcess): Promise<Board['step']> {
    const board = this.#board
    const { step, request, credential } = board
    const devices = await engine.client.devices.list()
    if (!devices.some(({ id }) => id === board.id)) return 'new'
    if (request === null) return 'created'
    const device = await polled(engine, board)
    if (device === 'waiting') return 'asked'
    if (device === null) return (await isTaken(engine, board)) ? 'used' : 'created'
    if (step === 'polled' && device.credential !== credential) throw new Error(`${board.id} polled another credential`)
    // a poll changes nothing that another one would tell
    return step === 'polled' ? 'polled' : 'adopted'
  }

  async #oldSpeaker({ client, baseUrl }: EngineProcess, speaker: Speaker): Promise<string[]> {
    const { id, credential } = speaker
    const wrong: string[] = []
    const own = await fetch(`${baseUrl}/devices/${id}`, { headers: { authorization: `Bearer ${credential}` } })
    if (own.status !== 200) wrong.push(`${id}: its credential is answered ${own.status}`)
    const { version, name } = await client.http.devices.get({ id })
    if (![speaker.version, speaker.version + 1].includes(version) || (version > 1 && name !== `name ${version}`))
      wrong.push(`${id}: version ${speaker.version} was acknowledged, ${version} "${name}" is there`)
    const message = `hall.${id}`
    const last = Number((await client.messages.list()).find((one) => one.name === message)?.value ?? 0)
    if (last !== speaker.level && last !== speaker.level + 1)
      wrong.push(`${id}: ${speaker.level} was acknowledged, ${last} is its last value`)
    const history = new Set((await client.http.messages.history({ message, limit: 500 })).map(({ value }) => value))
    const lost = speaker.unread.filter((value) => !history.has(value))
    if (lost.length > 0) wrong.push(`${id}: the history lacks ${lost.join(', ')}`)
    Object.assign(speaker, { version, level: last, unread: [] })
    return wrong
  }
}

const nextBoard = (at: number): Board => {
  return { id: `board${at}`, step: 'new', isPending: false, request: null, credential: '' }
}

/** What a poll answers: the device with its credential, `waiting`, or null when nothing is to be had any more. */
async function polled(engine: EngineProcess, { request }: Board) {
  if (request === null) return null
  const headers = { authorization: `Bearer ${request.secret}` }
  const answer = await fetch(`${engine.baseUrl}/devices/pair/${request.code}`, { headers })
  if (answer.status === 404) return null
  const { device } = (await answer.json()) as Awaited<ReturnType<typeof poll>>
  return device ?? 'waiting'
}

/** Whether the device takes the credential that its board has. */
async function isTaken(engine: EngineProcess, { id, credential }: Board): Promise<boolean> {
  const headers = { authorization: `Bearer ${credential}` }
  return (await fetch(`${engine.baseUrl}/devices/${id}`, { headers })).status === 200
}
