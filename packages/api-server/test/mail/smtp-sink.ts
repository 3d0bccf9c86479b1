/** A mail server on a free port, which keeps what it is sent. */
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** What has arrived: the addresses that were named to the server, and the mail with its headers. */
interface Arrived {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

export interface SmtpSink extends AsyncDisposable {
  /** As `SERVICE_SMTP_URL`. */
  readonly url: string
  readonly port: number
  readonly arrived: Arrived[]
}

/** Listens on 127.0.0.1; `options` are those of the server, `port` that of one before. */
export async function openSmtpSink(options: SMTPServerOptions = {}, port = 0): Promise<SmtpSink> {
  const arrived: Arrived[] = []
  const server = new SMTPServer({
    authOptional: true,
    // a mailer keeps its connections
    closeTimeout: 1,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      let raw = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => void (raw += chunk))
      stream.on('end', () => {
        arrived.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const net = server.listen(port, '127.0.0.1') as Server
  if (!net.listening) await once(net, 'listening')
  const address = net.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    arrived,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The text of a mail, with its lines as they were. */
export const bodyOf = ({ raw }: Pick<Arrived, 'raw'>): string => {
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4)
  return body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('\r\n', '\n')
    .trim()
}
