import { createServer, type Server } from 'node:http'

import type { Service } from '@flow-service/api-server'
import express from 'express'
import Koa from 'koa'

/** The engine at `/flow-service` of a Koa app. */
export async function koaHost(service: Service): Promise<Server> {
  const engine = express().use('/flow-service', service.router)
  const app = new Koa()
  app.use(async (context, next) => {
    if (!context.path.startsWith('/flow-service/')) return next()
    context.respond = false
    engine(context.req, context.res)
  })
  app.use((context) => {
    context.body = 'the host'
  })
  const koa = app.callback()
  const server = createServer((request, response) => void koa(request, response))
  service.attach(server, '/flow-service')
  return server.listen(0, '127.0.0.1')
}
