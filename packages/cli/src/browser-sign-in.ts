/**
 * A sign-in in a browser, which ends at an address of this process: the browser is sent there with a code behind `#`, which
 * no request carries, so that a page of ours reads it and hands it in.
 * @module
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** As long as the engine remembers a sign-in, in milliseconds. */
const PATIENCE_MS = 600_000
const MAX_BODY_BYTES = 4096

/** What a sign-in has ended with. */
type BrowserAnswer = { readonly code: string } | { readonly error: string }

/** A sign-in that is waited for. */
export interface BrowserSignIn extends AsyncDisposable {
  /** Where the browser is to end; nobody else knows it. */
  readonly returnTo: string
  /** Null when nobody comes in ten minutes. */
  readonly answer: Promise<BrowserAnswer | null>
}

/** Begins to wait for a browser. */
export async function awaitBrowser(): Promise<BrowserSignIn> {
  const path = `/${randomBytes(16).toString('base64url')}/`
  const { promise, resolve } = Promise.withResolvers<BrowserAnswer | null>()
  const server = createServer((request, response) => {
    serve(request, response, { path, host, resolve }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const timer = setTimeout(() => resolve(null), PATIENCE_MS)
  return {
    returnTo: `http://${host}${path}`,
    answer: promise,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      server.close()
      // the page has its answer; a browser keeps its connection beyond that
      server.closeIdleConnections()
    },
  }
}

interface Served {
  readonly path: string
  readonly host: string
  readonly resolve: (answer: BrowserAnswer) => void
}

async function serve(request: IncomingMessage, response: ServerResponse, at: Served): Promise<void> {
  const { method, url, headers } = request
  response.setHeader('cache-control', 'no-store').setHeader('connection', 'close')
  if (headers.host !== at.host || url !== at.path) return void response.writeHead(404).end()
  if (method === 'GET') {
    response.setHeader('content-security-policy', POLICY).setHeader('content-type', 'text/html; charset=utf-8')
    return void response.end(PAGE)
  }
  if (method !== 'POST' || headers.origin !== `http://${at.host}`) return void response.writeHead(403).end()
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > MAX_BODY_BYTES) return void response.writeHead(413).end()
  }
  const fields = new URLSearchParams(text)
  const [code, error] = [fields.get('code'), fields.get('error')]
  if (code === null && error === null) return void response.writeHead(400).end()
  response.writeHead(204).end()
  at.resolve(code === null ? { error: error ?? '' } : { code })
}

/** Opens an address in the browser of the desktop; without one nothing happens. */
export function openBrowser(address: string): void {
  const commands: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [command = '', ...args] = commands[process.platform] ?? ['xdg-open']
  spawn(command, [...args, address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

const SCRIPT = `
const told = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
const show = (text) => { document.querySelector('p').textContent = text }
const fields = new URLSearchParams(told)
fetch(location.pathname, { method: 'POST', body: told }).then(
  ({ ok }) => show(ok && fields.has('code')
    ? 'The command line goes on. You can close this window.'
    : 'Nobody is signed in; the command line says why. You can close this window.'),
  () => show('The command line has ended. Run the command again.'),
)
`
const STYLE =
  'body{font:16px system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}'
const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const POLICY = `default-src 'none'; connect-src 'self'; script-src ${sourceOf(SCRIPT)}; style-src ${sourceOf(STYLE)}; frame-ancestors 'none'`
const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Signing in</title>
<style>${STYLE}</style></head>
<body><main><h1>flow-service</h1><p role="status">Signing in ...</p></main><script>${SCRIPT}</script></body></html>
`
