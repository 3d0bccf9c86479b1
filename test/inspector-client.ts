/** A client of the Node inspector, as editors are: the DevTools protocol over its WebSocket, and places by source maps. */
import { EventEmitter, once } from 'node:events'
import { SourceMap } from 'node:module'

import { WebSocket } from 'ws'

interface Script {
  readonly scriptId: string
  readonly url: string
  readonly sourceMapURL?: string
}

/** Why and where code is paused. */
export interface Paused {
  readonly reason: string
  readonly hitBreakpoints: readonly string[]
  readonly callFrames: readonly { readonly callFrameId: string; readonly functionName: string }[]
}

/** An attached debugger. */
export class InspectorClient extends EventEmitter implements Disposable {
  readonly #socket: WebSocket
  readonly #answers = new Map<number, (message: { result?: unknown; error?: { message: string } }) => void>()
  readonly #scripts: Script[] = []
  #asked = 0

  private constructor(socket: WebSocket) {
    super()
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { id?: number; method?: string; params?: unknown }
      if (message.id !== undefined) this.#answers.get(message.id)?.(message as object)
      if (message.method === 'Debugger.scriptParsed') this.#scripts.push(message.params as Script)
      if (message.method !== undefined) this.emit(message.method, message.params)
    })
  }

  /** Attaches to the process that listens on a port of this machine. */
  static async attach(port: number): Promise<InspectorClient> {
    const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
      { webSocketDebuggerUrl: string },
    ]
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    await once(socket, 'open')
    const client = new InspectorClient(socket)
    await client.ask('Runtime.enable')
    await client.ask('Debugger.enable')
    return client
  }

  async ask<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#asked
    const answer = Promise.withResolvers<{ result?: unknown; error?: { message: string } }>()
    this.#answers.set(id, answer.resolve)
    this.#socket.send(JSON.stringify({ id, method, params }))
    const { result, error } = await answer.promise
    if (error) throw new Error(`${method}: ${error.message}`)
    return result as T
  }

  /** Resolves at the next pause. */
  async paused(): Promise<Paused> {
    return ((await once(this, 'Debugger.paused')) as [Paused])[0]
  }

  /** Sets a breakpoint at a line, from 1, of the source whose address matches; answers the address and text. */
  async breakAt(source: RegExp, line: number): Promise<{ readonly address: string; readonly text: string }> {
    for (const { scriptId, sourceMapURL = '' } of this.#scripts) {
      const [, text] = /^data:application\/json;base64,(.*)$/.exec(sourceMapURL) ?? []
      if (text === undefined) continue
      const map = JSON.parse(Buffer.from(text, 'base64').toString())
      const address = (map.sources as string[]).find((one) => source.test(one))
      if (address === undefined) continue
      const place = placeIn(new SourceMap(map), await this.#lengths(scriptId), { address, line })
      await this.ask('Debugger.setBreakpoint', { location: { scriptId, ...place } })
      return { address, text: map.sourcesContent[map.sources.indexOf(address)] }
    }
    throw new Error(`no script has a source like ${source.source}`)
  }

  async #lengths(scriptId: string): Promise<number[]> {
    const { scriptSource } = await this.ask<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })
    return scriptSource.split('\n').map(({ length }) => length)
  }

  [Symbol.dispose](): void {
    this.#socket.close()
  }
}

/** The first place of a script that comes from the line of the source. */
function placeIn(map: SourceMap, lengths: readonly number[], { address, line }: { address: string; line: number }) {
  for (const [lineNumber, length] of lengths.entries()) {
    for (let columnNumber = 0; columnNumber < length; columnNumber += 1) {
      const entry = map.findEntry(lineNumber, columnNumber)
      if ('originalSource' in entry && entry.originalSource === address && entry.originalLine === line - 1)
        return { lineNumber, columnNumber }
    }
  }
  throw new Error(`no code comes from line ${line} of ${address}`)
}
