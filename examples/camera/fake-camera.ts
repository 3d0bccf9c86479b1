/**
 * A camera as it stands in a yard: it asks for a sign-in by Digest (RFC 7616), and answers with a JPEG or with a stream
 * of them.
 * @module
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const realm = 'yard'
const nonce = 'c2Vhc29uZWQ'

/** Whether a request is signed in as that user. */
function isSignedIn({ headers, method, url }: IncomingMessage, username: string, password: string): boolean {
  const field = (name: string): string =>
    new RegExp(`\\b${name}="?([^",]*)`).exec(headers.authorization ?? '')?.[1] ?? ''
  const secret = md5(`${username}:${realm}:${password}`)
  const rest = [nonce, field('nc'), field('cnonce'), 'auth', md5(`${method}:${url}`)]
  return field('username') === username && field('response') === md5([secret, ...rest].join(':'))
}

/** What is seen in the moment; the bytes begin and end as those of every JPEG. */
const jpeg = (scene: string): Buffer => Buffer.from(`\u00ff\u00d8${scene}\u00ff\u00d9`, 'latin1')

/** A camera whose scene can be changed. */
export async function fakeCamera(username: string, password: string) {
  let frame = jpeg('the gate is shut')
  const watching = new Set<ServerResponse>()
  const show = (response: ServerResponse): void => {
    // as many cameras do, without the length of the part
    response.write(`--picture\r\nContent-Type: image/jpeg\r\n\r\n`)
    response.write(frame)
    response.write('\r\n--picture\r\n')
  }
  const server = createServer((request, response) => {
    if (!isSignedIn(request, username, password)) {
      const challenge = `Digest realm="${realm}", nonce="${nonce}", qop="auth", algorithm=MD5`
      response.writeHead(401, { 'www-authenticate': challenge }).end()
    } else if (request.url === '/snapshot.jpg') response.writeHead(200, { 'content-type': 'image/jpeg' }).end(frame)
    else {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--picture' })
      watching.add(response)
      show(response)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What the camera sees from now on. Gives the bytes of the picture. */
    see(scene: string): Buffer {
      frame = jpeg(scene)
      for (const response of watching) show(response)
      return frame
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
