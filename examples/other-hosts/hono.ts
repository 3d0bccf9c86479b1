import { createServer, type Server } from 'node:http'

import type { Service } from '@flow-service/api-server'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'

/** The engine at `/flow-service`, before a Hono app on Node. */
export async function honoHost(service: Service): Promise<Server> {
  const app = new Hono().get('/own', (context) => context.text('the host'))
  const hono = getRequestListener(app.fetch)
  const listener = express()
    .use('/flow-service', service.router)
    .use((request, response) => void hono(request, response))
  const server = createServer(listener)
  service.attach(server, '/flow-service')
  return server.listen(0, '127.0.0.1')
}
