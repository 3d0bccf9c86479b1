/**
 * The model that understands commands where it is not the grammar on this machine: that of the host's own code, or one behind
 * the chat API of the settings, which is reached by the way out of nodes. `commands_lm` nodes ask it; without one they ask the
 * package for themselves.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { CommandModel } from '@flow-service/protocol'

import type { ResolvedConfig } from '../config.ts'
import type { OutgoingFetch } from '../egress/outgoing-fetch.ts'
import { ConfigError } from '../process/setting.ts'

/** What a model is made of. */
export interface CommandsModelDeps {
  readonly clock: Pick<Clock, 'setTimer'>
  readonly config: Pick<ResolvedConfig, 'commandsModel' | 'commandsModelName' | 'commandsToken' | 'commandsUrl'>
  readonly outgoing: Pick<OutgoingFetch, 'fetch'>
}

/** How long a model of the host may take for one sentence; that of the settings has the same limit of its own. */
const WITHIN_MS = 10_000

/** A model that has not answered in time. */
class LateModel extends Error {
  override readonly name = 'timeout'
}

/**
 * The model of the host, else that of the settings; null for the grammar. Rejects with a `ConfigError` when the settings name
 * one and the package that asks it is not installed.
 */
export async function openCommandsModel({ clock, config, outgoing }: CommandsModelDeps): Promise<CommandModel | null> {
  const { commandsModel, commandsModelName: model, commandsToken: token, commandsUrl: url } = config
  if (commandsModel !== null) return bounded(commandsModel, clock)
  if (url === null || model === null) return null
  const { createChatModel } = await loadPackage()
  return createChatModel({ url, model, token, fetch: outgoing.fetch })
}

/** A model that answers in time or not at all, also one that hears no signal: a node waits for it. */
const bounded = (model: CommandModel, clock: CommandsModelDeps['clock']): CommandModel => ({
  async interpret(prompt, context, signal) {
    signal?.throwIfAborted()
    const own = new AbortController()
    const cut = Promise.withResolvers<never>()
    const end = (reason: unknown): void => {
      cut.reject(reason)
      own.abort(reason)
    }
    const abort = (): void => end(signal?.reason)
    const cancel = clock.setTimer(WITHIN_MS, () =>
      end(new LateModel(`the model of commands has not answered within ${WITHIN_MS / 1000} s`)),
    )
    signal?.addEventListener('abort', abort)
    try {
      return await Promise.race([model.interpret(prompt, context, own.signal), cut.promise])
    } finally {
      cancel()
      signal?.removeEventListener('abort', abort)
    }
  },
})

async function loadPackage() {
  try {
    return await import('@flow-service/commands-lm/chat')
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new ConfigError(
      'SERVICE_COMMANDS_URL is set, and the package @flow-service/commands-lm is not installed: npm install @flow-service/commands-lm',
    )
  }
}

/** Whether it is the package itself that is not there, and not a part of it. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  /'@flow-service\/commands-lm(?:\/chat)?'/.test(error.message)
