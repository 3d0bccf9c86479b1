/** A browser as far as signing in goes: it follows links and keeps cookies. */

interface Cookie {
  readonly host: string
  readonly path: string
  readonly name: string
  readonly value: string
}

/** Cookies of hosts and paths, as a browser sends them; ports count as hosts, as those of other machines would. */
export class Browser {
  #cookies: Cookie[] = []
  readonly #route: (url: URL) => URL
  /** Every `Set-Cookie` so far. */
  readonly told: string[] = []

  /** `route` tells where requests really go; to the address that they are for unless given. */
  constructor(route: (url: URL) => URL = (url) => url) {
    this.#route = route
  }

  /** One request, whose redirection is not followed. */
  async get(url: string): Promise<Response> {
    const { host, pathname } = new URL(url)
    const sent = this.#cookies.filter((cookie) => cookie.host === host && pathname.startsWith(cookie.path))
    const answer = await fetch(this.#route(new URL(url)), {
      redirect: 'manual',
      headers: sent.length === 0 ? {} : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') },
    })
    for (const text of answer.headers.getSetCookie()) this.#keep(host, text)
    return answer
  }

  /** Follows redirections until one leads to where `isEnd` says so; that address. */
  async follow(url: string, isEnd: (url: URL) => boolean): Promise<URL> {
    let at = new URL(url)
    for (let step = 0; step < 20; step += 1) {
      const answer = await this.get(at.href)
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`${at.href} answers ${answer.status}: ${await answer.text()}`)
      at = new URL(location, at)
      if (isEnd(at)) return at
    }
    throw new Error('redirected for ever')
  }

  /** Another browser with the same cookies. */
  copy(): Browser {
    const other = new Browser(this.#route)
    other.#cookies = [...this.#cookies]
    return other
  }

  #keep(host: string, text: string): void {
    this.told.push(text)
    const [pair = '', ...attributes] = text.split(/; */)
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/'
    const isOver = attributes.some((each) => /^max-age=0$/i.test(each) || /^expires=Thu, 01 Jan 1970/i.test(each))
    this.#cookies = this.#cookies.filter((c) => !(c.host === host && c.path === path && c.name === name))
    if (!isOver) this.#cookies.push({ host, path, name, value })
  }
}

/** What an address was given behind `#`. */
export const fragmentOf = (url: URL): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(url.hash.slice(1)))
