/**
 * The console: the files of the package `@flow-service/console`, at `<mount>/console/`. The page is a client of the API like
 * any other; its policy lets it load, start and reach nothing but what is of this service.
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'

import type { RequestHandler } from 'express'

import { preferred } from './compression.ts'
import { ProblemError } from './errors.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** In the order in which they are preferred, with the end of the names of their files. */
const codings = { br: '.br', gzip: '.gz', identity: '' } as const
type Coding = keyof typeof codings

const policy = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types console',
].join('; ')

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** The folder of the built console; null where the package is not there, as in a server that was bundled without it. */
export function consoleFolder(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@flow-service/console/package.json')), 'dist')
  } catch {
    return null
  }
}

/** Answers below `/console`, where the service is mounted. */
export function consoleFiles(folder: string | null): RequestHandler {
  const files = filesOf(folder)
  return async function serveConsole(request, response, next) {
    const { method, path, originalUrl, baseUrl } = request
    if (method !== 'GET' && method !== 'HEAD') return next()
    // what the page loads is found relative to it
    if (path === '/' && !/^[^?]*\/(?:\?|$)/.test(originalUrl)) return response.redirect(308, `${baseUrl}/`)
    const name = path === '/' ? 'index.html' : path.slice(1)
    const found = files.get(name)
    if (!found) throw missing(name, files.size > 0)
    const coding = (preferred(request, found.codings) as Coding | undefined) ?? 'identity'
    const body = await readFile(join(found.folder, `${name}${codings[coding]}`))
    response
      .set(headers)
      .set('cache-control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-store')
      .set('content-type', types[extname(name)] ?? 'application/octet-stream')
      .set('content-length', String(body.length))
      .vary('accept-encoding')
    if (coding !== 'identity') response.set('content-encoding', coding)
    response.end(method === 'HEAD' ? undefined : body)
  }
}

interface ConsoleFile {
  readonly folder: string
  /** In which it is there. */
  readonly codings: Coding[]
}

/** By their names; names that begin with a dot are of the build. */
function filesOf(folder: string | null): ReadonlyMap<string, ConsoleFile> {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return new Map()
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile()
      ? join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/')
      : [],
  )
  const names = new Set(all)
  const shown = all.filter((name) => !/^\.|\.(?:br|gz)$/.test(name))
  return new Map(
    shown.map((name) => [
      name,
      {
        folder,
        codings: (Object.keys(codings) as Coding[]).filter((coding) => names.has(`${name}${codings[coding]}`)),
      },
    ]),
  )
}

function missing(name: string, isThere: boolean): ProblemError {
  if (isThere) return new ProblemError('not_found', `the console has no file "${name}"`)
  return new ProblemError(
    'not_found',
    'the console is not there: it is the package @flow-service/console, which has to be installed beside the engine, and in a checkout is built by "npm start"',
  )
}
