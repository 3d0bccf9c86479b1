/**
 * A module of this repository in a worker of a real browser.
 * @module
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'

import type { Browser, Page } from 'playwright-core'

import { patient } from './chromium.ts'

/** Serves an empty page, whose origin a service has to allow (`corsOrigins`): its own pages run no code of others. */
export async function servePage() {
  const server = createServer((_, answer) => void answer.setHeader('content-type', 'text/html').end('<!doctype html>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Opens the page of an origin with a worker: the code of a file, and more code behind it. What the worker posts is kept in the
 * global `heard` of the page; `worker` is the worker.
 */
export async function openWorker(browser: Browser, origin: string, file: string, more: string): Promise<Page> {
  const page = patient(await browser.newPage())
  await page.goto(origin)
  const code = `${stripTypeScriptTypes(readFileSync(file, 'utf8'))}\n${more}`
  await page.evaluate(`{
    globalThis.heard = []
    const url = URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' }))
    globalThis.worker = new Worker(url, { type: 'module' })
    worker.addEventListener('message', ({ data }) => heard.push(data))
    worker.addEventListener('error', ({ message }) => heard.push('failed: ' + message))
  }`)
  return page
}
