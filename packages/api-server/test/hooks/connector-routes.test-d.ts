/** What node types give `ctx.routes`, without a cast. */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { NodeContext, RouteHandler } from '@flow-service/connector-sdk'
import express, { type NextFunction, type Request, type Response, Router } from 'express'
import { expectTypeOf, test } from 'vitest'

test('a router of Express, an app, and functions of Express and of Node.js are handlers [R397]', () => {
  const mount = {} as NodeContext['routes']
  mount(express.Router())
  mount(Router({ caseSensitive: true }), { open: ['/status'] })
  mount(express())
  mount((request: Request, response: Response, next: NextFunction) => {
    if (request.path === '/') response.json({})
    else next()
  })
  mount(async (request: IncomingMessage, response: ServerResponse) => void response.end(request.url))
  mount((request, response, next) => {
    expectTypeOf(request).toEqualTypeOf<IncomingMessage>()
    expectTypeOf(response).toExtend<ServerResponse>()
    next(new Error('no camera'))
  })
  expectTypeOf<express.Router>().toExtend<RouteHandler>()
  // @ts-expect-error a handler is a function
  mount({ handle: () => {} })
  // @ts-expect-error it is no text that is asked for
  mount((request: string) => request)
})
