import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { typedLines } from '../src/typed-lines.ts'

async function linesOf(typed: string, isTerminal: boolean): Promise<{ lines: string[]; shown: string }> {
  const input = new PassThrough()
  const terminal = new PassThrough()
  input.end(typed)
  const lines: string[] = []
  for await (const line of typedLines({ input, terminal: isTerminal ? terminal : null })) lines.push(line)
  terminal.end()
  let shown = ''
  for await (const chunk of terminal.setEncoding('utf8')) shown += String(chunk)
  return { lines, shown }
}

test('a pipe brings a sentence on each line, and shows nothing', async () => {
  expect(await linesOf('lights on\r\n\n  exit  \nlights off', false)).toEqual({
    lines: ['lights on', 'exit', 'lights off'],
    shown: '',
  })
})

test.each(['exit', 'quit', ' exit '])('at a terminal "%s" ends, and a prompt is shown', async (word) => {
  const { lines, shown } = await linesOf(`lights on\n\n${word}\nlights off\n`, true)
  expect(lines).toEqual(['lights on'])
  expect(shown).toContain('> ')
})

test('Ctrl-D ends on a line of its own', async () => {
  const { lines, shown } = await linesOf('lights on\n\u0004', true)
  expect(lines).toEqual(['lights on'])
  expect(shown.endsWith('\n')).toBe(true)
})

test('once it is left, nothing of the input is waited for', async () => {
  const input = new PassThrough()
  input.write('lights on\nexit\n')
  const lines: string[] = []
  for await (const line of typedLines({ input, terminal: new PassThrough() })) lines.push(line)
  expect([lines, input.isPaused()]).toEqual([['lights on'], true])
})
