/** What leaves a trace in the audit trail: every operation that changes something, but for those that stand here. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bearerOf, connectors, type Operation, operations, sampleOf, seed, type Seeds } from './sample-requests.ts'
import { startService, type TestService } from './service.ts'

const signsIn = 'it signs in, and changes nothing; the account says when that was last'
const asks = 'it asks and changes nothing'
const runs = 'it makes runs, which say who has submitted them'
const works = 'it gives a flow something to do, which its cascades show'
const device = 'a device or a board does it, which is no user'

/** Operations without a trace, and why they need none. */
const traceless: Readonly<Record<string, string>> = {
  'login.accessToken': signsIn,
  'login.testToken': asks,
  'login.oidcToken': signsIn,
  'login.code': signsIn,
  'login.recoverPassword': 'it asks for a link; who sets a password by it stands in the trail',
  'flows.save': 'it makes drafts, many while somebody edits; a flow says who has saved it last',
  'dashboards.save': 'as of flows',
  'flows.saveLayout': 'it draws a flow elsewhere, and changes nothing of it',
  'flows.validate': asks,
  'flows.wsTicket': asks,
  'artifacts.ticket': asks,
  'flows.step': works,
  'flows.run': works,
  'flows.try': works,
  'flows.nodes.trigger': works,
  'messages.publish': works,
  'runs.plan': asks,
  'runs.submit': runs,
  'runs.sweep': runs,
  'runs.retry': runs,
  'runs.import': runs,
  'runs.update': 'notes and marks help people to find a run, and nothing depends on them',
  'runs.updateMany': 'as of one run',
  'metrics.compareMany': asks,
  'runs.track': runs,
  'runs.append': runs,
  'artifacts.put': 'bytes alone do nothing, and go when nothing refers to them',
  'artifacts.beginUpload': 'as of bytes that pass through the engine',
  'artifacts.completeUpload': 'as of bytes that pass through the engine',
  'devices.report': device,
  'pairing.start': device,
  'panels.startPairing': device,
  'observability.flush': asks,
  'alerts.test': 'it sends a message that says so, and changes nothing',
}

/** Operations that others make possible, or impossible, by their place among all; 1 unless given. */
const ranks: Readonly<Record<string, number>> = {
  'observability.replay': 0,
  'flows.nodes.unshare': 2,
  'flows.nodes.share': 2.5,
  'flows.stop': 2,
  // what is published is no draft any more
  'dashboards.save': 0,
  'dashboards.discard': 0.5,
  'devices.unpair': 2,
  // it ends the session that all of them are called with
  'users.changePassword': 4,
}
const rankOf = ({ id, method }: Operation): number => ranks[id] ?? (method === 'DELETE' ? 3 : 1)
const changing = operations.filter(({ method }) => method !== 'GET').toSorted((a, b) => rankOf(a) - rankOf(b))

let at: TestService
let seeds: Seeds
let loose: string
beforeAll(async () => {
  at = await startService({ connectors })
  const { email, password } = at.service.signIn
  seeds = await seed(at, { email: email ?? '', password: password ?? '' })
  await at.send('POST', '/flows/loop/start')
  const { body: scale } = await at.send('GET', '/flows/scale')
  await at.send('PUT', '/flows/scale', { ...scale, title: 'A draft' })
  loose = (await at.client.upload(new Blob(['nobody refers to these']), { name: 'loose.txt' })).digest
})
afterAll(() => at[Symbol.asyncDispose]())

/** Where the thing is that an operation can change, if the samples have none. */
const elsewhere = ({ id }: Operation): string | undefined =>
  ({
    'dashboards.publish': '/dashboards/spare/publish',
    'flows.discardDraft': '/flows/scale/discard-draft',
    'flows.restore': '/flows/loop/versions/1/restore',
    'devices.unpair': '/devices/panel/unpair',
    'artifacts.delete': `/artifacts/${loose}`,
  })[id]

interface Entry {
  readonly id: string
  readonly action: string
  readonly actor: { readonly email: string; readonly via: string } | null
}
async function trail(): Promise<Entry[]> {
  // of a session of now: an operation may have ended that of the samples
  const authorization = `Bearer ${await at.service.superuserToken()}`
  const answer = await fetch(`${at.baseUrl}/observability/events?kind=audit&limit=500`, { headers: { authorization } })
  return (await answer.json()) as Entry[]
}

/** Who does it; an invited user sets the password of their own account. */
const doerOf = ({ id }: Operation): string => (id === 'login.resetPassword' ? 'invited@example.org' : seeds.email)

describe('whoever changes something stands in the audit trail [R569]', () => {
  test.each(changing)('$id', async (operation) => {
    const before = new Set((await trail()).map(({ id }) => id))
    const { path, init } = sampleOf(operation, seeds)
    const authorization = bearerOf(operation, seeds, at.token)
    const answer = await fetch(`${at.baseUrl}${elsewhere(operation) ?? path}`, {
      ...init,
      headers: { ...init.headers, authorization },
    })
    const told = [answer.status, await answer.text()]
    const entries = (await trail()).filter(({ id, actor }) => !before.has(id) && actor !== null)
    if (traceless[operation.id] !== undefined) return expect(entries).toEqual([])
    expect(told).toEqual([expect.toSatisfy((status) => status < 300), told[1]])
    expect(entries).not.toEqual([])
    for (const { action, actor } of entries) {
      expect(actor).toEqual({ id: expect.any(String), email: doerOf(operation), via: 'session', name: null })
      expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/)
    }
  })

  test('what needs no trace exists', () => {
    expect(Object.keys(traceless).filter((id) => !changing.some((operation) => operation.id === id))).toEqual([])
  })
})
