/**
 * Settings of a model that understands commands (wire decision U19), which `config.ts` has among all others.
 * @module
 */
import { isLoopbackHost } from '../http/address.ts'
import { ConfigError, optional, text } from '../process/setting.ts'

const expected = 'the http or https URL of a chat API up to its version, such as http://127.0.0.1:11434/v1'

/** Settings by the names of their options. */
export const commandsSettings = {
  commandsUrl: optional(text(expected), {
    env: 'SERVICE_COMMANDS_URL',
    about:
      'The chat API whose model understands the commands of commands_lm nodes; it needs the package @flow-service/commands-lm, and is reached as nodes reach others.',
    initially: 'the grammar of that package, on this machine',
  }),
  commandsModelName: optional(text('the name of a model'), {
    env: 'SERVICE_COMMANDS_MODEL',
    about: 'The model of that API; it is needed beside the URL.',
  }),
  commandsToken: optional(
    text('ASCII characters but spaces, quotes and backslashes', (value) => /^[!#-[\]-~]+$/.test(value)),
    {
      env: 'SERVICE_COMMANDS_TOKEN',
      about: 'What that API is sent as a bearer token.',
      initially: 'none',
      secret: true,
    },
  ),
}

interface CommandsValues {
  readonly environment: string
  readonly commandsUrl: string | null
  readonly commandsModelName: string | null
  readonly commandsToken: string | null
}

/** Throws `ConfigError` when what there is of these settings is not usable, or not all that a request needs. */
export function checkCommands({ environment, commandsUrl: given, ...others }: CommandsValues): void {
  if (given === null) {
    if (others.commandsModelName !== null)
      throw new ConfigError('SERVICE_COMMANDS_MODEL is set without SERVICE_COMMANDS_URL: say whose model it is')
    if (others.commandsToken !== null)
      throw new ConfigError('SERVICE_COMMANDS_TOKEN is set without SERVICE_COMMANDS_URL: say who gets it')
    return
  }
  const url = URL.parse(given)
  if (url !== null && (url.username !== '' || url.password !== ''))
    throw new ConfigError('SERVICE_COMMANDS_URL holds a user name or password: set SERVICE_COMMANDS_TOKEN instead')
  // what is not to be repeated may stand where it is not looked for
  const shown = /[@?#]/.test(given) ? 'not usable' : JSON.stringify(given)
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(given))
    throw new ConfigError(`SERVICE_COMMANDS_URL is ${shown}: use ${expected}, and without a query`)
  if (others.commandsModelName === null)
    throw new ConfigError('SERVICE_COMMANDS_URL is set without SERVICE_COMMANDS_MODEL: name the model that it has')
  const isOpen = url.protocol === 'http:' && !isLoopbackHost(url.hostname)
  if (isOpen && others.commandsToken !== null && environment === 'production')
    throw new ConfigError(`SERVICE_COMMANDS_URL is ${shown}: in production use https for SERVICE_COMMANDS_TOKEN`)
}
