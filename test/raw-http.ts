/** HTTP as bytes on a socket: what no client library would send, and the answer as it came. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer, split but not interpreted. */
export interface RawAnswer {
  readonly status: number
  /** In lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Every byte but those of the `Date` header, as Latin-1. */
  readonly text: string
}

/** A connection to an origin; the caller ends it. */
export async function openSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** Sends a head, line by line without line ends, and a body; reads until the server closes. */
export async function sendRaw(origin: string, head: readonly string[], body: string | Buffer = ''): Promise<RawAnswer> {
  const socket = await openSocket(origin)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // a server that refuses a request before its end may cut the rest off
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const bytes = Buffer.from(body as string)
  const length = bytes.length === 0 ? [] : [`content-length: ${bytes.length}`]
  const lines = [...head, 'host: localhost', 'connection: close', ...length, '', '']
  socket.write(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]))
  await closed
  return parse(Buffer.concat(chunks).toString('latin1'))
}

function parse(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [first = '', ...lines] = answer.slice(0, end < 0 ? undefined : end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(headers),
    body: end < 0 ? '' : answer.slice(end + 4),
    text: answer.replace(/\r\nDate: [^\r]*/i, ''),
  }
}
