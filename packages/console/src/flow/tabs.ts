/**
 * Which tabs of the console are open: each has a name, and answers when another one asks for it. The name outlives a reload;
 * a tab that was copied with everything in it finds its name taken and gets another one.
 */
const KEY = 'flow-service.tab'
/** Open tabs answer within this time. */
const PATIENCE_MS = 250

type Said = { readonly ask: readonly string[] } | { readonly here: string }

const channel = new BroadcastChannel('flow-service.tabs')
let name: string | null = null
let naming: Promise<string> | null = null

channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
  if (name !== null && 'ask' in data && data.ask.includes(name)) channel.postMessage({ here: name } satisfies Said)
})

/** The name of this tab. */
export function tab(): Promise<string> {
  naming ??= (async () => {
    const known = sessionStorage.getItem(KEY)
    const isTaken = known !== null && (await areOpen([known])).has(known)
    name = known === null || isTaken ? newName() : known
    sessionStorage.setItem(KEY, name)
    return name
  })()
  return naming
}

/** Its name, where that is known by now: a page that is left has no time to ask. */
export const tabNow = (): string | null => name

/** Those of the tabs that are open. */
export function areOpen(tabs: readonly string[]): Promise<ReadonlySet<string>> {
  return new Promise((resolve) => {
    const open = new Set<string>()
    const done = (): void => {
      clearTimeout(timer)
      channel.removeEventListener('message', hear)
      resolve(open)
    }
    const hear = ({ data }: MessageEvent<Said>): void => {
      if ('here' in data && tabs.includes(data.here)) open.add(data.here)
      if (tabs.every((one) => open.has(one))) done()
    }
    const timer = setTimeout(done, PATIENCE_MS)
    channel.addEventListener('message', hear)
    channel.postMessage({ ask: tabs } satisfies Said)
  })
}

/** A name that nobody has. A page that is not served safely has no other source of them. */
export function newName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
