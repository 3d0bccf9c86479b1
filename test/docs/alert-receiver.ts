import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

/** Hears alerts, and says each in one line. */
export const receiver = (say: (line: string) => void) =>
  createServer((request, response) => {
    void json(request).then((alert) => {
      const { event, severity, title, detail, count } = alert as Record<string, string | number>
      if (request.headers['x-from'] === 'engine') say(`${severity} ${event} x${count}: ${title} (${detail})`)
      response.writeHead(204).end()
    })
  })
