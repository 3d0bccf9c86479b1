/** The API as hosts that are not Express call it. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import express, { Router } from 'express'
import { expect, onTestFinished, test } from 'vitest'

import { hosted } from '../../src/http/hosted.ts'

const router = hosted(
  Router()
    .get('/place', (request, response) => void response.json([request.baseUrl, request.path, request.get('host')]))
    .get('/bare', (_request, response) => void response.end('answered')),
)

/** Asks a server of this listener. */
async function ask(listener: RequestListener, path: string): Promise<[status: number, text: string]> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  return [answer.status, (await answer.text()).replace(/127\.0\.0\.1:\d+/, 'host')]
}

/** As middie does it: the address is cut, and nothing else of Express is there. */
const cutting: RequestListener = (request, response) => {
  const known = request as typeof request & { originalUrl?: string | undefined }
  known.originalUrl = request.url
  request.url = request.url?.slice('/mount'.length)
  const next = (): void => void response.end(`the host has ${known.originalUrl}`)
  router(request, response, next)
}

test('a host that cuts its mount off gets links with the mount', async () => {
  expect(await ask(cutting, '/mount/place?x=1')).toEqual([200, '["/mount","/place","host"]'])
})

test('what the API does not answer goes on to the host', async () => {
  expect(await ask(cutting, '/mount/other')).toEqual([200, 'the host has /mount/other'])
})

test('an answer is 200 where a host begins each with 404', async () => {
  const pessimist: RequestListener = (request, response) => {
    response.statusCode = 404
    router(request, response)
  }
  expect(await ask(pessimist, '/bare')).toEqual([200, 'answered'])
})

test('a server calls it without anything between', async () => {
  expect(await ask(router, '/place')).toEqual([200, '["","/place","host"]'])
})

test('an app of Express mounts it as a router, at any depth', async () => {
  const app = express().use('/outer', express.Router().use('/inner', router))
  expect(await ask(app, '/outer/inner/place')).toEqual([200, '["/outer/inner","/place","host"]'])
})
