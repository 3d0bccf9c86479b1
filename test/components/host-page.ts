/** A page of somebody else, at an origin of its own, that uses the elements of the console: for the tests of them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The built module, as a host serves it. */
export const elementsFile = new URL('../../packages/console/dist/elements/elements.js', import.meta.url)

/** Keeps what the elements tell; `add` puts one of them into the page. */
const script = `import '/elements.js'
globalThis.told = []
for (const type of ['service-error', 'node-select', 'point-select'])
  document.addEventListener(type, ({ detail }) => told.push([type, detail]))
globalThis.add = (name, attributes, token) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.token = token
  document.querySelector('main').append(element)
  return element
}
`

const html = `<!doctype html>
<html lang="en">
<title>A page of somebody else</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<main><h1>A page of somebody else</h1></main>
</html>
`

const css = 'html { color-scheme: light dark; background: Canvas; color: CanvasText } run-chart { height: 480px }'

export interface HostPage extends AsyncDisposable {
  readonly origin: string
  /** Origins beside its own to which the policy of the page lets it connect. */
  connect: readonly string[]
  /** What its own path `/token` answers. */
  token: string
}

export async function startHostPage(): Promise<HostPage> {
  const host = { origin: '', connect: [] as readonly string[], token: '' }
  const files: Readonly<Record<string, () => readonly [type: string, body: string | Buffer]>> = {
    '/': () => ['text/html', html],
    '/page.css': () => ['text/css', css],
    '/page.js': () => ['text/javascript', script],
    '/elements.js': () => ['text/javascript', readFileSync(elementsFile)],
    '/token': () => ['text/plain', host.token],
  }
  const answer: RequestListener = ({ url = '' }, response) => {
    const [type, body] = files[url]?.() ?? ['text/plain', '']
    response
      .setHeader('content-type', type)
      .setHeader('content-security-policy', `default-src 'self'; connect-src 'self' ${host.connect.join(' ')}`)
    response.end(body)
  }
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  host.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(host, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
