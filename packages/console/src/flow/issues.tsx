/** What the engine finds wrong with a flow; a click leads to the node. */
import type { Issue } from '@flow-service/client-sdk'

import { counted } from '../format.ts'
import { Status } from '../parts/status.tsx'

interface IssuesProps {
  readonly issues: readonly Issue[]
  readonly choose: (node: string) => void
}

const looks = { error: 'failed', warning: 'degraded', advisory: 'pending' } as const

export function Issues({ issues, choose }: IssuesProps) {
  if (issues.length === 0) return null
  const errors = issues.filter(({ severity }) => severity === 'error').length
  // one alone is read at once
  const first = issues.length === 1 ? issues[0] : undefined
  return (
    <details class="issues" open={errors > 0}>
      <summary>
        <Status is={errors > 0 ? 'failed' : 'degraded'} />
        {counted(issues.length, 'issue')}
        {errors > 0 ? `, ${counted(errors, 'error')}` : ''}
        {first === undefined ? null : (
          <small>{first.node === null ? first.message : `${first.node}: ${first.message}`}</small>
        )}
      </summary>
      <ul>
        {issues.map(({ severity, code, message, node, path }) => (
          <li key={`${node} ${code} ${path} ${message}`}>
            <Status is={looks[severity]} />
            <span class="unseen">{severity}</span>
            {node === null ? null : (
              <button class="bare" onClick={() => choose(node)}>
                {node}
              </button>
            )}
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
