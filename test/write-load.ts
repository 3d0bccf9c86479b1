/** Documents, bytes and values that are written while engines are killed. */
import { randomBytes } from 'node:crypto'

import { publishFlow } from './documents.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Load } from './under-kills.ts'

const DOCUMENTS = 5
const meter = { mode: 'live', inputs: [{ name: 'level', dtype: 'int' }] }

/** A few documents of which newer and newer versions are saved, artifacts, and a message with rising values. */
export class WriteLoad implements Load {
  readonly #versions = Array.from({ length: DOCUMENTS }, () => 0)
  readonly #stored = new Map<string, Buffer>()
  #unread: [digest: string, bytes: Buffer][] = []
  #level = 0
  #next = 0

  async setUp({ client }: EngineProcess): Promise<void> {
    await publishFlow(client, 'meter', meter)
  }

  lanes(engine: EngineProcess, acknowledged: () => void): Promise<never>[] {
    const lane = async (write: () => Promise<void>): Promise<never> => {
      for (;;) {
        await write()
        acknowledged()
      }
    }
    return [lane(() => this.#save(engine)), lane(() => this.#store(engine)), lane(() => this.#publish(engine))]
  }

  async check(engine: EngineProcess): Promise<string[]> {
    const bytes = await differing(engine, this.#unread.splice(0))
    return [...(await this.#oldDocuments(engine)), ...bytes, ...(await this.#oldLevel(engine))]
  }

  async settle(engine: EngineProcess): Promise<string[]> {
    return [...(await this.check(engine)), ...(await differing(engine, [...this.#stored]))]
  }

  async #save({ client }: EngineProcess): Promise<void> {
    const at = this.#next++ % DOCUMENTS
    const version = this.#versions[at] ?? 0
    const flowDocument = { title: `version ${version + 1}`, ...(version > 0 ? { version } : {}) }
    this.#versions[at] = (await client.http.flows.save({ name: `document${at}`, flowDocument })).version
  }

  async #store(engine: EngineProcess): Promise<void> {
    const bytes = randomBytes(5_000)
    const { digest } = await engine.client.upload(bytes, { name: 'bytes' })
    this.#stored.set(digest, bytes)
    this.#unread.push([digest, bytes])
  }

  async #publish({ client }: EngineProcess): Promise<void> {
    const value = this.#level + 1
    await client.http.messages.publish({ message: 'meter.level', value: value as never })
    this.#level = value
  }

  /** A document is as acknowledged, or one version further: that of the request that had no answer. */
  async #oldDocuments({ client }: EngineProcess): Promise<string[]> {
    const found = new Map((await client.flows.list()).map((flow) => [flow.name, flow]))
    return this.#versions.flatMap((version, at) => {
      const flow = found.get(`document${at}`)
      this.#versions[at] = flow?.version ?? 0
      const isRight =
        flow === undefined
          ? version === 0
          : [version, version + 1].includes(flow.version) && flow.title === `version ${flow.version}`
      return isRight ? [] : [`document${at}: version ${version} was acknowledged, ${JSON.stringify(flow)} is there`]
    })
  }

  async #oldLevel({ client }: EngineProcess): Promise<string[]> {
    const shown = Number((await client.messages.list()).find(({ name }) => name === 'meter.level')?.value ?? 0)
    const acknowledged = this.#level
    this.#level = shown
    const isRight = shown === acknowledged || shown === acknowledged + 1
    return isRight ? [] : [`value: ${acknowledged} was acknowledged, ${shown} is shown`]
  }
}

async function differing(engine: EngineProcess, stored: readonly [string, Buffer][]): Promise<string[]> {
  const wrong: string[] = []
  for (const [digest, bytes] of stored) {
    const answer = await fetch(`${engine.baseUrl}/artifacts/${digest}`, {
      headers: { authorization: `Bearer ${engine.token}` },
    })
    if (!bytes.equals(Buffer.from(await answer.arrayBuffer()))) wrong.push(`bytes ${digest}: ${answer.status}`)
  }
  return wrong
}
