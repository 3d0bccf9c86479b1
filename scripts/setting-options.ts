/**
 * The options of `createService` that are settings, as a declaration: `generate.ts` writes it, so that an editor shows what
 * the table of settings says of each.
 */
import type { Setting } from '@flow-service/api-server'

const HEADER = `/**
 * The options of \`createService\` that are settings. Made from the table of \`config.ts\` by \`npm run generate\`.
 * @module
 */

/** What each setting is for, its default, and the variable that it is read from when the option is left out. */
export interface SettingOptions {
`

/** The text of the declaration. */
export const settingOptions = (settings: object): string =>
  `${HEADER}${Object.entries(settings)
    .map(([name, setting]) => optionOf(name, setting as Setting))
    .join('\n')}}\n`

const optionOf = (name: string, setting: Setting): string =>
  `  /**
   * ${setting.about}
   * Default: ${defaultOf(setting)}.${setting.env === null ? '' : ` Variable: \`${setting.env}\`.`}
   */
  readonly ${name}?: ${setting.type} | undefined
`

const defaultOf = ({ initial, initially }: Setting): string => initially ?? `\`${JSON.stringify(initial)}\``
