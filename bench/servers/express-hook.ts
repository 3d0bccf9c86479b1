/** The baseline of webhook.bench.ts: a bare Express 5 handler that parses the same body. */
import type { AddressInfo } from 'node:net'

import express from 'express'

const app = express()
app.post('/hook', express.json(), (_request, response) => void response.status(202).json({ accepted: true }))
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
})
