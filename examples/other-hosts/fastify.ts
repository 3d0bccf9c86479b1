import type { Server } from 'node:http'

import middie from '@fastify/middie'
import type { Service } from '@flow-service/api-server'
import fastify from 'fastify'

/** The engine at `/flow-service` of a Fastify app. */
export async function fastifyHost(service: Service): Promise<Server> {
  const app = fastify()
  await app.register(middie)
  app.use('/flow-service', service.router)
  app.get('/own', async () => 'the host')
  service.attach(app.server, '/flow-service')
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}
