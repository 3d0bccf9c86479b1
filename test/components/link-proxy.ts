/**
 * A way to one engine for the other engines, which a test cuts or makes slow; the engine behind it may be another one later.
 * @module
 */
import { once } from 'node:events'
import net from 'node:net'

/** How it passes bytes on: at once, late, or not at all. */
export type Way =
  | { readonly kind: 'open' }
  | { readonly kind: 'late'; readonly byMs: number }
  | { readonly kind: 'cut' }

/** Passes connections on to a port of 127.0.0.1, once that is known. */
export class LinkProxy implements AsyncDisposable {
  readonly #server = net.createServer((near) => this.#join(near))
  readonly #sockets = new Set<net.Socket>()
  #port: number | null = null
  #way: Way = { kind: 'open' }

  static async open(): Promise<LinkProxy> {
    const proxy = new LinkProxy()
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`
  }

  /** Where the engine listens now. */
  leadTo(port: number): void {
    this.#port = port
  }

  /** From now on; a cut breaks what is open too. */
  set way(way: Way) {
    this.#way = way
    if (way.kind === 'cut') this.#breakAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#breakAll()
    await closed
  }

  #join(near: net.Socket): void {
    if (this.#port === null || this.#way.kind === 'cut') return void near.destroy()
    const far = net.connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    near.setNoDelay(true)
    this.#pass(near, far)
    this.#pass(far, near)
  }

  #pass(from: net.Socket, to: net.Socket): void {
    this.#sockets.add(from)
    from.on('error', () => {})
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
    // in their order, also where the way becomes quick again
    const late: Buffer[] = []
    from.on('data', (bytes) => {
      const byMs = this.#way.kind === 'late' ? this.#way.byMs : 0
      if (byMs === 0 && late.length === 0) return void to.write(bytes)
      late.push(bytes)
      setTimeout(() => to.write(late.shift() ?? ''), byMs)
    })
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
