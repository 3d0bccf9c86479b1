/**
 * The page of the engine's settings.
 * @module
 */
import { settings } from '../../packages/api-server/src/config.ts'
import type { Setting } from '../../packages/api-server/src/process/setting.ts'
import { code, type Page, table } from './page.ts'

/** Every setting with its environment variable, its option of `createService` and its default. */
export function settingsPage(): Page {
  const rows = Object.entries(settings).map(([option, setting]) => row(option, setting as Setting))
  return {
    path: 'pages/settings',
    title: 'Settings',
    description: 'Every setting of the engine: environment variable, option of createService, values and default.',
    order: 3,
    body: [
      'A setting is taken from the option of `createService` (or the flag of the command line), else from its',
      'environment variable, else from its default. A value that is not usable stops the start with a sentence that',
      'names it. What the data directory holds: [Settings and data directory](../../../guide/settings/).',
      '',
      table(['Variable and option', 'What it is'], rows),
    ].join('\n'),
  }
}

function row(option: string, { env, about, expected, initial, initially }: Setting): string[] {
  const known = typeof initial === 'string' ? initial : JSON.stringify(initial)
  return [
    [...(env === null ? [] : [code(env)]), code(option)].join('<br/>'),
    // a column of its own would not have the room beside the long names
    `${about} Use ${expected}.<br/>Default: ${initially ?? code(known)}.`,
  ]
}
