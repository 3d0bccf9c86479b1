/**
 * Mails over an SMTP server: a few connections that are kept, each step within its time, certificates always checked.
 * @module
 */
import type { Transporter } from 'nodemailer'

import { isLoopbackAddress } from '../http/address.ts'
import { type Mail, MailError } from './mailer.ts'

const MAX_CONNECTIONS = 2
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000

/**
 * A mailer for `smtp://` (with STARTTLS where the server offers it) or `smtps://`. A password goes to other machines by TLS
 * alone.
 */
export function createSmtpMailer(url: URL, from: string) {
  const { hostname, password, port, protocol, username } = url
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isHere = host === 'localhost' || isLoopbackAddress(host)
  const secure = protocol === 'smtps:'
  const options = {
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host,
    ...(port === '' ? {} : { port: Number(port) }),
    secure,
    requireTLS: !secure && username !== '' && !isHere,
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // a mail is its text: nothing in it makes the engine read a file or ask an address
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const
  const server = url.host
  let transport: Transporter | null = null
  let isClosed = false
  return {
    async send({ to, subject, text }: Mail): Promise<void> {
      try {
        const { createTransport } = await import('nodemailer') // with the first mail, not with each start
        if (isClosed) throw new Error('the engine is stopping')
        transport ??= createTransport(options)
        // as an object: a text would be read as a list of addresses
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
      } catch (error) {
        throw new MailError(reasonOf(error, server))
      }
    },
    close() {
      isClosed = true
      transport?.close()
    },
  }
}

/** Why a mail was not sent. What the server says is left out but for its number: it often repeats the address. */
function reasonOf(error: unknown, server: string): string {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  const number = typeof responseCode === 'number' ? ` (${responseCode})` : ''
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return `the mail server ${server} refuses the sign-in${number}: look at SERVICE_SMTP_URL`
    case 'EENVELOPE':
      return `the mail server ${server} refuses the sender or the address${number}`
    case 'EMESSAGE':
      return `the mail server ${server} refuses the mail${number}`
    case 'ETLS':
    case 'EREQUIRETLS':
      return `the mail server ${server} gives no TLS that can be trusted`
    case 'ETIMEDOUT':
      return `the mail server ${server} does not answer in time`
    case 'EDNS':
    case 'ECONNECTION':
    case 'ESOCKET':
      return `the mail server ${server} cannot be reached`
    default:
      return `the mail server ${server} has failed${number}`
  }
}
