/**
 * Rules on what a connector is trusted with: credentials, and the certificate of its device.
 * @module
 */
import { ended } from './ended.ts'
import { must, type Rule, textOf } from './rule.ts'
import type { Attempt, Node, Subject } from './subject.ts'

const shownNowhere: Rule = {
  title: 'shows its credentials nowhere: in no error, log, health or published value',
  async run(subject) {
    const credentials = subject.credentialsIn()
    if (credentials.length === 0) return 'its params hold no credential'
    const forms = credentials.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString('base64')])
    for (const { name, make } of situations(subject)) {
      const shown = await shownIn(subject, await make())
      for (const [place, texts] of Object.entries(shown))
        must(
          !texts.some((text) => forms.some((form) => text.includes(form))),
          `${place} shows a credential ${name}: leave it out`,
        )
    }
  },
}

interface Situation {
  readonly name: string
  readonly make: () => Promise<Attempt>
}

function situations(subject: Subject): Situation[] {
  const refusing = (status: number): Situation => ({
    name: `when its device answers ${status}`,
    make: () => subject.attempt({ fetch: () => new Response('no', { status }) }),
  })
  const breaking: Situation = {
    name: 'when its device goes away',
    async make() {
      const attempt = await subject.attempt()
      if (attempt.node !== null) await subject.firstReading(attempt.node)
      attempt.ctx?.network.failWith(new Error('the device does not answer'))
      return attempt
    },
  }
  return [{ name: 'while all is well', make: () => subject.attempt() }, breaking, refusing(401), refusing(500)]
}

/** All texts that people see of a node, by the place. */
async function shownIn(subject: Subject, { node, ctx, thrown }: Attempt): Promise<Record<string, string[]>> {
  const errors = [...thrown]
  if (node !== null) {
    errors.push(...(await subject.exercise(node)))
    await ended(node.stop()).catch((error: unknown) => errors.push(error))
  }
  return {
    'an error': [...errors, ...(ctx?.failures ?? [])].map(causesOf),
    'the health': ctx?.health.map(({ message }) => message ?? '') ?? [],
    'the log': ctx?.logs ?? [],
    'a published value': [JSON.stringify(ctx?.sent ?? [])],
  }
}

const pinned: Rule = {
  title: 'sends nothing to a device whose certificate is not the pinned one',
  async run(subject) {
    const first = await subject.mount()
    await subject.exercise(first)
    const pins = first.ctx.network.reached.filter(({ isPinned }) => isPinned)
    if (subject.fixtures.pins !== true) {
      must(pins.length === 0, 'it pins a certificate: say "pins: true" in the fixtures, so that this is tested')
      return 'it pins nothing'
    }
    must(pins.length > 0, 'no connection of it has a pin: give ctx.fetch or ctx.connect the pin of pinnedTls()')
    await ended(first.stop())
    const { store } = first.ctx
    const key = [...store.texts.keys()].find((each) => each.startsWith('cert:'))
    must(key !== undefined, 'the store has no key "cert:<address>" after the first connection: use pinnedTls()')
    await refusesAnother(subject, first, key)
    const again = await subject.mount({ store })
    await subject.exercise(again)
    must(
      again.health.status === 'ok',
      `the pinned certificate is refused when it is shown again: ${again.health.message ?? 'no message'}`,
    )
  },
}

async function refusesAnother(subject: Subject, { ctx }: Node, key: string): Promise<void> {
  const { store } = ctx
  const kept = new Map(store.texts)
  const { reached, told } = await metWith(subject, {
    store,
    certificate: new TextEncoder().encode('another certificate'),
  })
  const targets = new Set(ctx.network.reached.filter(({ isPinned }) => isPinned).map(({ target }) => hostOf(target)))
  const sent = reached.find(({ target, isAccepted }) => isAccepted && targets.has(hostOf(target)))
  must(
    sent === undefined,
    () => `${sent?.target} shows another certificate than the pinned one, and gets a request: use pinnedTls()`,
  )
  must(store.texts.get(key) === kept.get(key), `another certificate takes the place of the pinned one under "${key}"`)
  must(
    told.length > 0,
    'another certificate than the pinned one is met without a word: let start(), poll() or write() fail',
  )
  must(
    told.some((text) => text.includes(key)),
    () => `the error of a changed certificate does not name the key "${key}" to clear: "${told[0]}"`,
  )
}

/** What a node reaches that meets a certificate, and what it tells of that. */
async function metWith(
  subject: Subject,
  options: { readonly store: Node['ctx']['store']; readonly certificate: Uint8Array },
): Promise<{ readonly reached: Node['ctx']['network']['reached']; readonly told: string[] }> {
  const { node, ctx, thrown } = await subject.attempt(options)
  const failed = node === null ? [] : await subject.exercise(node)
  const unwell = (ctx?.health ?? []).filter(({ status }) => status !== 'ok').map(({ message }) => message ?? '')
  return { reached: ctx?.network.reached ?? [], told: [...[...thrown, ...failed].map(causesOf), ...unwell] }
}

/** An error with what it was caused by. */
function causesOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? textOf(error) : `${textOf(error)}: ${causesOf(cause)}`
}

const hostOf = (target: string): string => URL.parse(target)?.host ?? target

/** In the order of their tests. */
export const trustRules: readonly Rule[] = [shownNowhere, pinned]
