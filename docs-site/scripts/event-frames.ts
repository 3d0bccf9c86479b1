/**
 * The page of the frames of the event socket, from their schemas.
 * @module
 */
import { eventFrameSchema } from '../../packages/protocol/src/index.ts'
import { answerSchema, type JsonSchema, shapeOf } from './json-shape.ts'
import { code, type Page, table } from './page.ts'

const about: Readonly<Record<string, string>> = {
  snapshot: 'The first frame of a socket: the whole state that later frames change.',
  node: 'The state of a node, in a live flow (`run` is null) or in a run; `executions` of a live node have begun since its last frame.',
  value: 'A message has a new value.',
  health: 'The connections of a node changed state.',
  run: 'A run changed state.',
  flow: 'A flow changed state, or a paused one holds more.',
  log: 'What the code of a node has printed, for sockets with `kinds=log`; `offset` counts the bytes that it printed before.',
  modules: 'Modules are being applied, or have been; sockets that are limited to flows hear none.',
  error: 'A frame from the client was not understood; the socket stays open.',
}

/** Every frame with its fields. */
export function eventFramesPage(): Page {
  const frames = eventFrameSchema.options.map((schema) => answerSchema(schema))
  return {
    path: 'pages/event-frames',
    title: 'Event frames',
    description: 'Every frame that the event socket sends, with its fields.',
    order: 6,
    body: [
      'Frames are JSON texts; `type` says which. `seq` is larger with each frame of a socket, and not dense; `ts` is the time of',
      'the event. Ignore types that you do not know. How to connect, and the binary frames of pictures and sound:',
      '[Event socket](../../../guide/events/).',
      ...frames.flatMap((frame) => ['', section(frame)]),
    ].join('\n'),
  }
}

function section({ properties = {} }: JsonSchema): string {
  const type = String(properties.type?.const)
  const sentence = about[type]
  if (sentence === undefined) throw new Error(`the frame "${type}" has no sentence; add one to ${import.meta.filename}`)
  const rows = Object.entries(properties)
    .filter(([name]) => !['type', 'seq', 'ts'].includes(name))
    .map(([name, schema]) => [code(name), shapeOf(schema), fieldsOf(schema)])
  return [`## ${type}`, '', sentence, '', table(['Field', 'Value', 'Holds'], rows)].join('\n')
}

/** Names of the fields of an object, or of the objects of a list. */
function fieldsOf(schema: JsonSchema): string {
  const inner = [schema, ...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])]
  const found = inner.find(({ properties }) => properties !== undefined)
  return Object.keys(found?.properties ?? {})
    .map(code)
    .join(' ')
}
