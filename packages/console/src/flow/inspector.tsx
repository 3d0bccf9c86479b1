/** A node as it is: its ports with their values, its settings and code, its last failure, what it prints, and a way to try it. */
import type { Flow, MessageHistoryEntry, Node, NodeState, NodeType, Port } from '@flow-service/client-sdk'
import type { ReadonlySignal } from '@preact/signals'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { clock, number, oneLine } from '../format.ts'
import { Icon } from '../parts/icon.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { LogText } from '../parts/log-text.tsx'
import { Loading } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { credentialNames, masked } from './diff.ts'
import { isStandIn, shortName } from './graph.ts'
import { Inject } from './inject.tsx'
import type { FlowNow, NodeNow } from './live.ts'
import { lineOf } from './traceback.ts'

interface InspectorProps {
  readonly flow: Flow
  readonly node: Node
  readonly now: FlowNow
  /** Of the resource that the page shows. */
  readonly path: string
  readonly close: () => void
}

export function Inspector({ flow, node, now, path, close }: InspectorProps) {
  const error = flow.node_states.find((one) => one.node === node.id)?.error ?? null
  const at = `/flows/${encodeURIComponent(flow.name)}/nodes/${encodeURIComponent(node.id)}`
  return (
    <>
      <header class="panel-head">
        <h2>{node.title || node.id}</h2>
        <small>{isStandIn(node.id) ? 'of the flow' : `${node.type} · ${node.id}`}</small>
        <span class="grow" />
        <button class="bare" onClick={close} title="Close (Escape)">
          <Icon name="close" />
          <span class="unseen">Close</span>
        </button>
      </header>
      <div class="panel-body">
        {isStandIn(node.id) || flow.mode === 'batch' ? null : (
          <State of={now.nodeOf(node.id)} error={error} at={at} path={path} />
        )}
        {flow.issues.flatMap((issue) =>
          issue.node === node.id
            ? [
                <p class="hint" key={issue.message}>
                  {issue.message}
                </p>,
              ]
            : [],
        )}
        {flow.mode === 'live' && node.ports.length > 0 ? <Inject flow={flow} node={node} at={at} /> : null}
        <Ports flow={flow.name} ports={node.ports} now={now} />
        <Settings of={node.settings} />
        {node.source === null ? null : <Source of={node} bad={lineOf(error?.traceback ?? '', node.id)} />}
        {node.entry === null ? null : (
          <section>
            <h2>Code</h2>
            <p>
              <code>{node.entry.export}</code> of <code>{node.entry.module}</code>: edit it there.
            </p>
          </section>
        )}
        {isStandIn(node.id) || flow.mode === 'batch' || (node.source === null && node.entry === null) ? null : (
          <section>
            <h2>Log</h2>
            <LogText path={`${at}/logs`} of={{ flows: [flow.name] }} node={node.id} traceback={null} />
          </section>
        )}
      </div>
    </>
  )
}

interface StateProps {
  readonly of: ReadonlySignal<NodeNow>
  /** The last failure, whole. */
  readonly error: NodeState['error']
  /** Of the node in the API. */
  readonly at: string
  readonly path: string
}

function State({ of, error: last, at, path }: StateProps) {
  const { status, health, message, executions } = of.value
  const error = status === 'failed' ? last : null
  const act = (verb: string, done: string) => async (): Promise<void> => {
    try {
      await post(`${at}/${verb}`)
      say(done)
      await load(path)
    } catch (problem) {
      sayFault(problem)
    }
  }
  return (
    <section class={error ? 'card wrong' : 'card'} aria-label="State">
      <p class="line">
        <Status is={status} isWord />
        {health === 'ok' ? null : (
          <>
            <Status is={health === 'down' ? 'failed' : health} />
            connection {health}
          </>
        )}
        <small>
          <span class="num">{number(executions)}</span> executions since you look
        </small>
      </p>
      {error === null && message !== null ? <p>{message}</p> : null}
      {error ? (
        <>
          <h2>{error.type}</h2>
          <p>{error.message}</p>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
          {error.traceback === null ? null : (
            <pre class="log" tabIndex={0}>
              {error.traceback}
            </pre>
          )}
        </>
      ) : null}
      {status === 'failed' ? (
        <button onClick={() => void act('acknowledge', 'Acknowledged')()}>Acknowledge</button>
      ) : status === 'running' ? (
        <button onClick={() => void act('cancel', 'Ended')()}>End this execution</button>
      ) : null}
    </section>
  )
}

function Ports({ flow, ports, now }: { flow: string; ports: readonly Port[]; now: FlowNow }) {
  const [open, setOpen] = useState<string | null>(null)
  if (ports.length === 0) return null
  return (
    <section>
      <h2>Ports</h2>
      <ul class="port-list">
        {ports.map(({ direction, port, message, dtype }) => {
          const key = `${direction} ${port}`
          return (
            <li key={key}>
              <button class="bare line" aria-expanded={open === key} onClick={() => setOpen(open === key ? null : key)}>
                <small>{direction === 'input' ? 'in' : 'out'}</small>
                <b>{port}</b>
                <small>
                  {shortName(message, flow) === port ? '' : `${shortName(message, flow)} · `}
                  {typeof dtype === 'string' ? dtype : JSON.stringify(dtype)}
                </small>
                <Newest now={now} message={message} />
              </button>
              {open === key ? <History now={now} message={message} /> : null}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Newest({ now, message }: { now: FlowNow; message: string }) {
  const known = now.values.of(message).value
  return <span class="num">{known === null || known.value === null ? '' : oneLine(known.value, 24)}</span>
}

/** The newest value whole, and those before it. */
function History({ now, message }: { now: FlowNow; message: string }) {
  const path = `/messages/${encodeURIComponent(message)}/history?limit=20`
  const { data, problem } = useResource<MessageHistoryEntry[]>(path).value
  const newest = now.values.of(message).value
  return (
    <div class="opened">
      {newest === null || newest.value === null ? null : <JsonView of={newest.value} depth={2} />}
      {data === undefined ? (
        problem === null ? (
          <Loading />
        ) : (
          <p class="hint">{problem.message}</p>
        )
      ) : (
        <ol class="events">
          {data.map(({ ts, value, truncated }) => (
            <li key={ts}>
              <span class="line">
                <time dateTime={ts} title={ts}>
                  {clock(ts)}
                </time>
                <span class="num">{truncated ? 'too long to keep' : oneLine(value, 48)}</span>
              </span>
            </li>
          ))}
          {data.length === 0 ? <li class="hint">No values yet.</li> : null}
        </ol>
      )}
      <button onClick={() => void load(path)}>Refresh</button>
    </div>
  )
}

function Settings({ of }: { of: Node['settings'] }) {
  const types = useResource<NodeType[]>('/flows/node-types').value.data ?? []
  const credentials = credentialNames(types)
  if (Object.keys(of).length === 0) return null
  return (
    <section>
      <h2>Settings</h2>
      <table class="values">
        <tbody>
          {Object.entries(of).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {isSecret(value) ? `the secret ${value.$secret}` : oneLine(masked(value, credentials, `/${name}`), 300)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const isSecret = (value: unknown): value is { readonly $secret: string } =>
  typeof value === 'object' && value !== null && '$secret' in value

/** `bad`: the line that has failed. */
const Source = ({ of: { source, library }, bad }: { of: Node; bad: number | null }) => (
  <section>
    <h2>{library === null ? 'Source' : `Source, of the library: ${library}`}</h2>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
    <pre class="log source" tabIndex={0} aria-label="Source">
      {(source ?? '').split('\n').map((line, index) => (
        <code key={index} class={index + 1 === bad ? 'bad' : ''}>{`${line}\n`}</code>
      ))}
    </pre>
  </section>
)
