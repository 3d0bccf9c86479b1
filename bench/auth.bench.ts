/**
 * What the check of a caller costs: the same answer, one row of the database as most small ones are, open, behind a session and behind a key, of one server in
 * alternating rounds. What is compared is the CPU time that the server takes for a request, which others on the machine
 * change less than they change rates. Only ratios are judged.
 */
import { once } from 'node:events'

import autocannon from 'autocannon'
import { expect, test } from 'vitest'

import { useServers } from './child-servers.ts'

const ROUNDS = 9
const SECONDS = 1
const { startAt } = useServers()

test('a small GET costs less than 5 % more behind a session or a key than open', async () => {
  const { child, at } = await startAt<{ url: string; session: string; key: string }>('auth-service.ts')
  const cpu = async (): Promise<number> => {
    child.send('cpu')
    return ((await once(child, 'message')) as [number])[0]
  }
  /** Microseconds of CPU time that a request takes. */
  const cost = async (path: string, token: string): Promise<number> => {
    const before = await cpu()
    const { requests, errors, non2xx } = await autocannon({
      url: at.url + path,
      connections: 20,
      duration: SECONDS,
      headers: { authorization: `Bearer ${token}` },
    })
    expect([errors, non2xx]).toEqual([0, 0])
    return (((await cpu()) - before) * 1e6) / requests.total
  }
  // the header goes with the open request as well: what is measured is the check
  const kinds = { open: ['/open', at.session], session: ['/users', at.session], key: ['/users', at.key] } as const
  for (const [path, token] of Object.values(kinds)) await cost(path, token)
  const rounds: Record<keyof typeof kinds, number>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      open: await cost(...kinds.open),
      session: await cost(...kinds.session),
      key: await cost(...kinds.key),
    })
  }
  // the round that others on the machine have disturbed least
  const [open, session, key] = (['open', 'session', 'key'] as const).map((kind) =>
    Math.min(...rounds.map((round) => round[kind])),
  ) as [number, number, number]
  console.log(`open ${open.toFixed(1)} µs; session ${(session / open).toFixed(3)}, key ${(key / open).toFixed(3)}`)
  for (const kind of [session, key]) expect(kind / open).toBeLessThan(1.05)
})
