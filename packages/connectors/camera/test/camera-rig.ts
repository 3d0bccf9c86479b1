/** A camera node in a live flow, on the clock of the test and the network of this machine. */
import { nodeTypeOf } from '@flow-service/connector-sdk'

import { flow, output } from '../../../core/test/documents.ts'
import { engine } from '../../../core/test/live/live-engine.ts'
import { Camera } from '../src/index.ts'

type Settings = Record<string, string | number | boolean>

export const camera = nodeTypeOf('camera', Camera)

export const node = (settings: Settings) => ({
  id: 'yard',
  type: 'camera',
  settings,
  ports: [output('frame', { dtype: 'image' })],
})

/** Starts it; it stops when the test has ended. */
export async function watch(settings: Settings) {
  const { host, start } = engine([camera], { fetch: (url, init) => fetch(url, init) })
  const live = await start(flow([node(settings)]))
  const frames = async (): Promise<Buffer[]> =>
    Promise.all(host.values('f.frame').map(async (ref) => Buffer.from(await host.artifacts.load(digestOf(ref)))))
  const health = () => {
    const [state] = live.nodeStates()
    return { status: state?.health, message: state?.message }
  }
  const advance = (seconds: number): Promise<void> => host.advance(seconds * 1000)
  /** To be polled: lets seconds pass before each look. */
  const after =
    <T>(seconds: number, look: () => T | Promise<T>) =>
    async (): Promise<T> => {
      await advance(seconds)
      return look()
    }
  return { host, live, frames, health, after, advance }
}

const digestOf = (ref: unknown): string => (ref as { digest: string }).digest
