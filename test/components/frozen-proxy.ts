/**
 * A way to a server that can become half-open: what runs over it then stays open, and no byte arrives any more.
 * @module
 */
import { once } from 'node:events'
import net from 'node:net'

/** Passes connections on to another port of 127.0.0.1. */
export class FrozenProxy implements AsyncDisposable {
  readonly #server: net.Server
  readonly #pairs: { near: net.Socket; far: net.Socket }[] = []
  readonly #frozen: { near: net.Socket; far: net.Socket }[] = []

  private constructor(port: number) {
    this.#server = net.createServer((near) => {
      const far = net.connect(port, '127.0.0.1')
      this.#pairs.push({ near, far })
      near.on('error', () => {}).on('close', () => far.destroy())
      far.on('error', () => {}).on('close', () => near.destroy())
      near.pipe(far).pipe(near)
    })
  }

  static async open(port: number): Promise<FrozenProxy> {
    const proxy = new FrozenProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** A database url that leads through the proxy. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl)
    url.port = String((this.#server.address() as net.AddressInfo).port)
    return url.href
  }

  /**
   * No answer passes any more on the connections that are open: the server gets what was sent, and its answers, also
   * that it has closed, arrive nowhere. New connections work.
   */
  freeze(): number {
    const frozen = this.#pairs.splice(0).filter(({ near, far }) => !near.destroyed && !far.destroyed)
    for (const { near, far } of frozen) {
      far.unpipe(near).removeAllListeners('close').resume()
    }
    this.#frozen.push(...frozen)
    return frozen.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const { near, far } of [...this.#pairs, ...this.#frozen]) for (const socket of [near, far]) socket.destroy()
    await closed
  }
}
