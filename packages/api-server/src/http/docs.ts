/**
 * The API reference: `/docs` (Swagger UI), `/redoc` and `openapi.json`, served without loading anything from elsewhere.
 * @module
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import express, { type RequestHandler, Router } from 'express'

import { isLoopback } from './address.ts'
import { ProblemError } from './errors.ts'
import type { OpenApiDocument } from './openapi.ts'
import { sendWhole } from './send.ts'

export interface DocsOptions {
  /** Called when somebody asks for it: to make it takes a tenth of a second, which a start need not. */
  readonly document: () => OpenApiDocument
  /** `production` has no reference at all; elsewhere it is for clients on the same machine (wire decision G06). */
  readonly environment: 'local' | 'staging' | 'production'
  /** Opens the reference to every client outside production. */
  readonly enabled: boolean
  /** Whether the document is compressed where the client asks for it; not unless given. */
  readonly compresses?: boolean
}

/** A router for the mount of the service; a client that may not see the reference gets 404. */
export function docs(options: DocsOptions): Router {
  const router = Router({ caseSensitive: true })
  const gate = docsGate(options)
  let document: Buffer | null = null
  router.get('/api/v1/openapi.json', gate, async (request, response) => {
    document ??= Buffer.from(JSON.stringify(options.document()))
    response.type('json')
    await sendWhole({ body: document, isCompressible: options.compresses === true }, request, response)
  })
  const folders = assetFolders()
  const serve = (page: Page, assets: string) => {
    router.get(`/${page.name}`, gate, (request, response) => {
      response.set('content-security-policy', policy).type('html').send(html(page, request.baseUrl))
    })
    router.get(`/${page.name}/start.js`, gate, (request, response) => {
      response.type('js').send(page.start(JSON.stringify(`${request.baseUrl}/api/v1/openapi.json`)))
    })
    router.use(`/${page.name}/assets`, gate, express.static(assets, { index: false, redirect: false }))
  }
  serve(swagger, folders.swagger)
  serve(redoc, folders.redoc)
  return router
}

const docsGate =
  ({ environment, enabled }: DocsOptions): RequestHandler =>
  (request, _response, next) => {
    const open = environment !== 'production' && (enabled || isLoopback(request))
    next(open ? undefined : new ProblemError('not_found', 'there is no API reference here'))
  }

interface Page {
  readonly name: string
  readonly styles: readonly string[]
  readonly script: string
  /** The script that starts the page on a document, whose URL is given as a literal. */
  readonly start: (url: string) => string
}

const swagger: Page = {
  name: 'docs',
  styles: ['swagger-ui.css'],
  script: 'swagger-ui-bundle.js',
  start: (url) => `SwaggerUIBundle({ url: ${url}, dom_id: '#reference', deepLinking: true, validatorUrl: null })`,
}
const redoc: Page = {
  name: 'redoc',
  styles: [],
  script: 'redoc.standalone.js',
  start: (url) => `Redoc.init(${url}, { nativeScrollbars: true }, document.getElementById('reference'))`,
}

/** Both pages style elements inline, and Redoc searches in a worker of its own making. */
const policy = [
  "default-src 'none'",
  "connect-src 'self'",
  "font-src 'self' data:",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self' blob:",
].join('; ')

function html(page: Page, mount: string): string {
  const base = `${mount}/${page.name}`
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>API reference</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    ...page.styles.map((style) => `<link rel="stylesheet" href="${base}/assets/${style}">`),
    `</head><body><div id="reference"></div><script src="${base}/assets/${page.script}"></script>`,
    `<script src="${base}/start.js"></script></body></html>`,
  ].join('')
}

/** The published package carries the files in `dist/assets`; a checkout takes them from the installed packages. */
function assetFolders(): { swagger: string; redoc: string } {
  const packed = fileURLToPath(new URL('./assets/', import.meta.url))
  if (existsSync(packed)) return { swagger: packed, redoc: packed }
  const { resolve } = createRequire(import.meta.url)
  return {
    swagger: dirname(resolve('swagger-ui-dist/package.json')),
    redoc: join(dirname(resolve('redoc/package.json')), 'bundles'),
  }
}
