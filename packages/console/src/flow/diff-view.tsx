/** What differs between two contents of a flow, for the publish dialog and the list of versions. */
import type { Change, FlowDiff, NodeChange } from '@flow-service/client-sdk'

import { credentialNames, type DiffLine, linesOf, masked, placeOf, shown } from './diff.ts'
import { useNodeTypes } from './editing.ts'

type Differences = Pick<FlowDiff, 'flow' | 'nodes' | 'wires'>

export const isEmptyDiff = ({ flow, nodes }: Differences): boolean => flow.length === 0 && nodes.length === 0

export function DiffView({ diff }: { readonly diff: Differences }) {
  if (isEmptyDiff(diff)) return <p class="hint">Both are the same.</p>
  return (
    <div class="diff">
      {diff.flow.length === 0 ? null : (
        <section aria-label="The flow itself">
          <h3>The flow itself</h3>
          <Changes of={diff.flow} />
        </section>
      )}
      {diff.nodes.map((node) => (
        <NodeDiff key={node.id} node={node} />
      ))}
      <Wires diff={diff} />
    </div>
  )
}

const signs = { added: '+', removed: '−', changed: '±' } as const

const NodeDiff = ({ node: { id, change, fields, source } }: { readonly node: NodeChange }) => (
  <section class={`node-diff ${change}`} aria-label={`Node ${id}, ${change}`}>
    <h3>
      <span class="sign" aria-hidden="true">
        {signs[change]}
      </span>{' '}
      {id} <small>{change}</small>
    </h3>
    {change === 'changed' ? <Changes of={fields} /> : null}
    {source === null ? null : <Lines of={linesOf(source)} name={`Code of ${id}`} />}
  </section>
)

function Changes({ of }: { readonly of: readonly Change[] }) {
  const names = credentialNames(useNodeTypes())
  return of.length === 0 ? null : (
    <table class="values changes">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ path, from, to }) => (
          <tr key={path}>
            <th scope="row">{placeOf(path)}</th>
            <td>{shown(masked(from, names, path))}</td>
            <td>{shown(masked(to, names, path))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Lines = ({ of, name }: { readonly of: readonly DiffLine[]; readonly name: string }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
  <div class="code-diff" role="region" aria-label={name} tabIndex={0}>
    <table>
      <tbody>
        {of.map((line, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines stand where they stand
          <tr key={at} class={line.is}>
            <td class="num">{line.from ?? ''}</td>
            <td class="num">{line.to ?? ''}</td>
            <td>
              <span class="unseen">{line.is === 'same' ? '' : line.is}</span>
              <code>
                {{ added: '+', removed: '−', same: ' ', gap: '⋯' }[line.is]} {line.text}
              </code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function Wires({ diff: { wires } }: { readonly diff: Differences }) {
  const rows = [
    ...wires.added.map((wire) => ({ wire, sign: '+', word: 'added' })),
    ...wires.removed.map((wire) => ({ wire, sign: '−', word: 'removed' })),
  ]
  return rows.length === 0 ? null : (
    <section aria-label="Wires">
      <h3>Wires</h3>
      <ul class="wire-list">
        {rows.map(({ wire: { message, from, to }, sign, word }) => (
          <li key={`${sign} ${message} ${from?.node} ${to.flow} ${to.node} ${to.port}`} class={word}>
            <span aria-hidden="true">{sign}</span>
            <span class="unseen">{word}</span> <code>{message}</code>{' '}
            {from === null ? 'from outside' : `from ${from.node}`} to{' '}
            {to.flow === message.split('.')[0] ? to.node : `${to.node} of ${to.flow}`}
          </li>
        ))}
      </ul>
    </section>
  )
}
