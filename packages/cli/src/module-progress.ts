/**
 * An apply of modules as it goes, for people.
 * @module
 */
import type { Client } from '@flow-service/client-sdk'
import type { ModuleProgress, Modules } from '@flow-service/protocol'

import { oneLine } from './table.ts'

/** How far an apply is, in a few words. */
export const progressText = ({ step, line, done, total }: ModuleProgress): string =>
  `${step}${total > 0 ? ` ${done} of ${total}` : ''}${line === null ? '' : `, ${oneLine(line)}`}`

/**
 * Prints each step of the apply that runs; resolves with the modules when it is over. An engine that is gone meanwhile is
 * waited for: it tells how it ended.
 */
export async function watchModules(client: Client, print: (line: string) => void): Promise<Modules> {
  let shown = ''
  const show = (progress: ModuleProgress): void => {
    const text = progressText(progress)
    if (text !== shown) print(text)
    shown = text
  }
  for await (const frame of client.events({ kinds: ['modules'] })) {
    if (frame.type === 'modules' && frame.progress !== null) show(frame.progress)
    else {
      // the end, or a snapshot: what was told before is asked for
      const modules = await client.modules.get()
      if (modules.progress === null) return modules
      show(modules.progress)
    }
  }
  return await client.modules.get()
}
