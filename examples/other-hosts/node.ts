import { createServer, type Server } from 'node:http'

import type { Service } from '@flow-service/api-server'
import express from 'express'

/** The engine at `/flow-service` of a server without a framework. */
export async function nodeHost(service: Service): Promise<Server> {
  const engine = express().use('/flow-service', service.router)
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/flow-service/')) engine(request, response)
    else response.end('the host')
  })
  service.attach(server, '/flow-service')
  return server.listen(0, '127.0.0.1')
}
