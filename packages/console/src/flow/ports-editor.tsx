/** The ports of a node in edit mode: what it reads and publishes, under which names, of which type. */
import type { Node, NodeType, Port } from '@flow-service/client-sdk'

import { Icon } from '../parts/icon.tsx'
import { itself, KeptText, type Read } from '../parts/kept-text.tsx'
import { freeName, messagesOf, portOf } from './document.ts'
import { addPort, deletePort, disconnect, type Edit, renameMessage, setPort, wirePort } from './edit.ts'
import type { Editing } from './editing.ts'

const dtypes: readonly Port['dtype'][] = [
  'any',
  'float',
  'int',
  'str',
  'bool',
  'object',
  'array',
  'image',
  'media',
  'artifact',
]

export const isMessage = (name: string): boolean =>
  /^(?:[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.)?[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)
const isPort = (name: string): boolean => /^(?![\s.])[^/\n\r\0]{1,100}$/.test(name)

const messageRead = (typed: string): Read<string> =>
  isMessage(typed) ? { value: typed } : { fault: 'Use a name such as temp, or climate.temp of another flow.' }

interface PortsProps {
  readonly editing: Editing
  readonly node: Node
  readonly type: NodeType | undefined
  readonly faults: Readonly<Record<string, string>>
}

export function PortsEditor({ editing, node, type, faults }: PortsProps) {
  const messages = [...messagesOf(editing.draft.doc.value)].toSorted()
  const add = (direction: Port['direction']): void => {
    const taken = new Set(node.ports.filter((port) => port.direction === direction).map(({ port }) => port))
    const doc = editing.draft.doc.peek()
    const port = freeName(direction, taken)
    const name = freeName(port, messagesOf(doc))
    editing.draft.edit(
      `Add an ${direction} to ${node.id}`,
      addPort(node.id, portOf(editing.name, { direction, name, port })),
    )
  }
  return (
    <section class="ports-editor" aria-label="Ports">
      <h3>Ports</h3>
      <datalist id="messages">
        {messages.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {(['input', 'output'] as const).map((direction) => (
        <div key={direction} class="ports-of">
          {node.ports.some((port) => port.direction === direction) ? (
            <div class="port-heads" aria-hidden="true">
              <span>{direction === 'input' ? 'Input' : 'Output'}</span>
              <span>{direction === 'input' ? 'reads' : 'publishes'}</span>
              <span>Type</span>
            </div>
          ) : null}
          {node.ports.map((port, at) =>
            port.direction === direction ? (
              // oxlint-disable-next-line react/no-array-index-key -- names of ports are what is typed
              <OnePort key={at} {...{ editing, node, type, faults, port, at }} />
            ) : null,
          )}
          {type === undefined || type.ports[`${direction}s`] === 'any' ? (
            <button type="button" onClick={() => add(direction)}>
              <Icon name="add" size={16} /> {direction === 'input' ? 'Input' : 'Output'}
            </button>
          ) : null}
        </div>
      ))}
      {faults['/ports'] === undefined ? null : <p class="fault">{faults['/ports']}</p>}
    </section>
  )
}

interface OnePortProps extends PortsProps {
  readonly port: Port
  readonly at: number
}

function OnePort({ editing, node, type, faults, port, at }: OnePortProps) {
  const { draft, name: flow } = editing
  const isInput = port.direction === 'input'
  const isFixed = type?.ports.fixed.some((one) => one.direction === port.direction && one.port === port.port) ?? false
  const fault = (key: string): string | undefined => faults[`/ports/${at}/${key}`]
  const own = [faults[`/ports/${at}`], fault('interval'), fault('dtype'), fault('stream'), fault('trigger')].find(
    (one) => one !== undefined,
  )
  const edit = (what: string, change: Edit): void =>
    draft.edit(`${what} of ${node.id}`, change, `${what} ${node.id} ${at}`)
  const put = (what: string, fields: Parameters<typeof setPort>[2]): void => edit(what, setPort(node.id, at, fields))
  const label = `${isInput ? 'Input' : 'Output'} ${port.port}`
  return (
    <fieldset class="port-editor" aria-label={label}>
      <KeptText
        label={isInput ? 'Input' : 'Output'}
        fault={fault('port')}
        value={port.port}
        read={(typed) => (isPort(typed) ? { value: typed } : { fault: 'It needs a name without "/".' })}
        write={itself}
        change={(next) => put('Name of a port', { port: next })}
        isDisabled={isFixed}
        isLate
      />
      <KeptText
        label={isInput ? 'reads' : 'publishes'}
        fault={fault('name')}
        value={port.name}
        read={messageRead}
        write={itself}
        change={(next) =>
          edit('Message', isInput ? wirePort(flow, node.id, at, next) : renameMessage(flow, node.id, at, next))
        }
        list="messages"
        isLate
      />
      <div class="field">
        <label for={`dtype-${at}`}>Type</label>
        <select
          id={`dtype-${at}`}
          value={port.dtype}
          disabled={isFixed}
          onChange={({ currentTarget }) =>
            put('Type', { dtype: dtypes.find((one) => one === currentTarget.value) ?? 'any' })
          }
        >
          {dtypes.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </div>
      <Marks {...{ editing, node, type, faults, port, at }} isFixed={isFixed} />
      {own === undefined ? null : <p class="fault">{own}</p>}
    </fieldset>
  )
}

function Marks({
  editing: { draft, name: flow },
  node,
  port,
  at,
  isFixed,
}: OnePortProps & { readonly isFixed: boolean }) {
  const isInput = port.direction === 'input'
  const put = (what: string, fields: Parameters<typeof setPort>[2]): void =>
    draft.edit(`${what} of ${node.id}`, setPort(node.id, at, fields))
  return (
    <div class="port-marks">
      <label class="tick">
        <input
          type="checkbox"
          checked={isInput ? port.trigger : port.stream}
          onChange={({ currentTarget: { checked } }) =>
            isInput ? put('Trigger', { trigger: checked }) : put('Stream', { stream: checked })
          }
        />{' '}
        {isInput ? 'runs the node' : 'streams'}
      </label>
      <span class="grow" />
      {isInput ? null : (
        <label class="tick">
          every{' '}
          <input
            class="pace"
            type="number"
            min="0"
            step="any"
            aria-label={`Seconds between two values of ${port.port} on display`}
            placeholder="value"
            value={port.interval ?? ''}
            onChange={({ currentTarget: { value } }) => put('Pace', { interval: value === '' ? null : Number(value) })}
          />{' '}
          s
        </label>
      )}
      {isInput ? (
        <button
          type="button"
          class="bare"
          title="Cut the wire"
          aria-label={`Cut the wire to ${port.port}`}
          onClick={() => draft.edit(`Cut the wire to ${node.id}`, disconnect(flow, { node: node.id, port: port.port }))}
        >
          Cut
        </button>
      ) : null}
      {isFixed ? null : (
        <button
          type="button"
          class="bare"
          aria-label={`Remove ${port.direction} ${port.port}`}
          onClick={() => draft.edit(`Remove ${port.port} of ${node.id}`, deletePort(node.id, at))}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </div>
  )
}
