/**
 * The flows of {@link ./many-engines.ts}: what they do is told to a ledger outside, by the path that is their name, or
 * counted in the history.
 */
const input = (name: string) => ({ direction: 'input', name, dtype: 'any' })
const output = (name: string) => ({ direction: 'output', name, dtype: 'any' })

const names = (kind: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${kind}${at}`)

/** Ticks five times a second; the schedule begins anew with the flow. */
export const tickers = names('tick', 10)
/** A timer each second that is kept, and goes on where it was. */
export const timers = names('timer', 5)
/** A durable webhook `n`, whose values the history counts. */
export const hooks = names('hook', 6)
/** Reads what the webhook of the same number publishes, as a rule at another engine. */
export const readers = names('reader', 5)
/** They are published, stopped, started and renamed all the time. */
export const changing = { published: 'often', stopped: 'seldom', renamed: ['before', 'after'], hook: 'door' } as const

/** All documents by name. The address is that of the ledger; each `form` is another one. */
export function documents(url: string): Map<string, (form: number) => object> {
  const teller = (path: string, reads: string) => ({
    id: 'tell',
    type: 'tell',
    settings: { url: `${url}/${path}` },
    ports: [input(reads)],
  })
  const ticking = (path: string, interval: number) => (form: number) => ({
    mode: 'live',
    title: `form ${form}`,
    nodes: [{ id: 'tick', type: 'inject', settings: { interval }, ports: [output('tick')] }, teller(path, 'tick')],
  })
  const hook = (form: number) => ({
    mode: 'live',
    title: `form ${form}`,
    nodes: [
      { id: 'in', type: 'http', settings: { url: 'n', durable: true, timeout: 10 + form }, ports: [output('n')] },
    ],
  })
  const reader = (name: string, of: string) => () => ({ mode: 'live', nodes: [teller(name, `${of}.n`)] })
  const { published, stopped, renamed, hook: door } = changing
  return new Map<string, (form: number) => object>([
    ...[...tickers, published, stopped, renamed[0]].map((name) => [name, ticking(name, 0.2)] as const),
    ...timers.map((name) => [name, ticking(name, 1)] as const),
    ...[...hooks, door].map((name) => [name, hook] as const),
    ...readers.map((name, at) => [name, reader(name, hooks[at] ?? '')] as const),
  ])
}
