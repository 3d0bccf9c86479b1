import { VirtualClock } from '@flow-service/core/testing'
import type { CommandReading } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { startService } from '../observability/service.ts'

const home = {
  inputs: [{ name: 'said', dtype: 'str' as const }],
  nodes: [
    {
      id: 'commands',
      type: 'commands_lm',
      settings: { apply: true },
      ports: [
        { direction: 'input' as const, port: 'prompt', name: 'said', dtype: 'str' as const },
        { direction: 'output' as const, name: 'kitchen_light', dtype: 'bool' as const },
      ],
    },
  ],
}

test('a model that does not answer fails the node after 10 s, which then takes the next sentence', async () => {
  const clock = new VirtualClock(Date.now())
  const asked: (AbortSignal | undefined)[] = []
  const lights: CommandReading = {
    call: 'lights_on',
    area: 'kitchen',
    kind: 'light',
    args: {},
    delay_s: 0,
    confidence: 1,
  }
  const commandsModel = {
    interpret(prompt: string, _context: unknown, signal?: AbortSignal) {
      asked.push(signal)
      return prompt === 'lights on' ? [lights] : new Promise<never>(() => {})
    },
  }
  await using at = await startService({ commandsModel }, clock)
  await at.publish('home', home)
  const say = (value: string) => at.root('POST', '/messages/home.said', { value })
  await say('what was it')
  await expect.poll(() => asked.length).toBe(1)
  await clock.advance(9999)
  expect(asked[0]?.aborted).toBe(false)
  await say('lights on')
  await clock.advance(1)
  expect(asked[0]?.aborted).toBe(true)
  await expect.poll(() => asked.length).toBe(2)

  const light = async () => {
    const { value } = await at.root<{ name: string; value: unknown }[]>('GET', '/messages/')
    return value.find(({ name }) => name === 'home.kitchen_light')?.value
  }
  await expect.poll(light).toBe(true)
  const told = async () => (await at.root('GET', '/observability/runs?limit=10')).text
  await expect.poll(told).toContain('the model of commands has not answered within 10 s')
})
