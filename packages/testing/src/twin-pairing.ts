/**
 * Pairs the twin of a device through the API: a person creates and adopts, the board starts and polls. The board is not that
 * of the SDK, which takes its time between polls for people to type a code.
 * @module
 */
import type { PairingStarted, PairingStart, PairingPoll } from '@flow-service/protocol'

/** Who is paired, and where. */
export interface TwinPairing {
  /** Of the API, without a slash at its end. */
  readonly url: string
  /** Of a person who may adopt devices. */
  readonly token: string
  /** Go with each request. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the device; a record of it is taken over. */
  readonly id: string
  /** What the board says of itself. */
  readonly board: PairingStart
}

/** Resolves to the credential. Rejects with an Error that has the request which was refused, and why. */
export async function pairTwin({ url, token, headers, id, board }: TwinPairing): Promise<string> {
  const ask = async (method: string, path: string, { as, body }: { as?: string; body?: object }): Promise<Response> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch((error: unknown) => {
      throw new Error(`device "${id}" is not paired: nobody answers at ${url}`, { cause: error })
    })
    const isThere = answer.status === 409 && path === record
    if (answer.ok || isThere) return answer
    const told = await answer.text()
    throw new Error(`device "${id}" is not paired: ${method} ${path} answers ${answer.status}: ${detailOf(told)}`)
  }
  const record = `/devices/${encodeURIComponent(id)}`
  await ask('POST', record, { as: token, body: board.name === undefined ? {} : { name: board.name } })
  const { code, secret } = (await (await ask('POST', '/devices/pair', { body: board })).json()) as PairingStarted
  await ask('POST', `${record}/pair`, { as: token, body: { code } })
  const { device } = (await (await ask('GET', `/devices/pair/${code}`, { as: secret })).json()) as PairingPoll
  if (device === null) throw new Error(`device "${id}" is not paired: its request still waits after it was adopted`)
  return device.credential
}

function detailOf(told: string): string {
  try {
    const { detail } = JSON.parse(told) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // no problem body: somebody else has answered
  }
  return told.slice(0, 200)
}
