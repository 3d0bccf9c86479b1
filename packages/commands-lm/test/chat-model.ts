/** A chat model whose requests go to a chat API on this machine, for the tests of a file. */
import type { CommandContext } from '@flow-service/protocol'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'

import { ChatFailure, type ChatModelOptions, createChatModel } from '../src/chat.ts'
import { openChatServer } from './chat-server.ts'

/** What the model sends as bearer unless told otherwise. */
export const TOKEN = 'sk-a-token-that-nobody-sees'
/** What it knows beside each sentence. */
export const context: CommandContext = {
  presence: 'kitchen',
  outdoor: 12,
  dark: false,
  devices: [
    { area: 'kitchen', kind: 'light', value: true, wired: true },
    { area: 'garden', kind: 'water', value: { state: 'x'.repeat(50) }, wired: false },
    { area: 'office', kind: 'media', value: 'y'.repeat(41), wired: true },
  ],
}
/** A call as the chat API says it. */
export const call = { call: 'lights_off', area: 'kitchen', temperature: null, delay_s: 0, confidence: 0.9 }
/** What is read of {@link call}. */
export const reading = { call: 'lights_off', area: 'kitchen', kind: 'light', args: {}, delay_s: 0, confidence: 0.9 }

/** Opens the chat API before the first test; none finds requests of another. */
export function useChatModel() {
  let server: Awaited<ReturnType<typeof openChatServer>>
  beforeAll(async () => {
    server = await openChatServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  beforeEach(() => void server.asked.splice(0))
  const modelWith = (options: Partial<ChatModelOptions> = {}) =>
    createChatModel({ url: server.url, model: 'small', token: TOKEN, ...options })
  const interpret = (sentence = 'lights off', options: Partial<ChatModelOptions> = {}) =>
    modelWith(options).interpret(sentence, context)
  return {
    server: () => server,
    modelWith,
    /** Readings of a sentence in {@link context}. */
    interpret,
    /** The failure that asking ends with; a test with readings in its place fails. */
    failure: async (options: Partial<ChatModelOptions> = {}): Promise<ChatFailure> => {
      const error = await Promise.resolve(interpret('lights off', options)).then(
        (value) => new Error(`there is an answer: ${JSON.stringify(value)}`),
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(ChatFailure)
      return error as ChatFailure
    },
  }
}
