/** The newest runs. */
import type { RunSummary } from '@flow-service/client-sdk'

import type { Problem } from '../api/call.ts'
import { ago, duration, shortId } from '../format.ts'
import { now } from '../live/clock.ts'
import { Empty, Loading } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'

export const RunList = ({ runs, problem }: { runs: readonly RunSummary[] | null; problem: Problem | null }) => (
  <section aria-labelledby="runs">
    <h2 id="runs">Newest runs</h2>
    {runs === null ? problem ? <p class="hint">{problem.message}</p> : <Loading /> : <Lines of={runs} />}
  </section>
)

const Lines = ({ of: runs }: { of: readonly RunSummary[] }) =>
  runs.length === 0 ? (
    <Empty title="No runs yet">
      A batch flow runs once for each set of parameters: <code>service run estimate_pi samples=1000</code>
    </Empty>
  ) : (
    <ul class="list">
      {runs.map((run) => (
        <li key={run.id}>
          <Status is={run.status} />
          <span class="what">
            <a href={`#/runs/${run.id}`}>
              <b>{run.flow}</b>
            </a>
            <small>
              <code>{shortId(run.id)}</code> · {run.submitted_by ?? run.origin}
            </small>
          </span>
          <small class="num">{duration(run.duration_s)}</small>
          <small class="when" title={run.created_at}>
            {ago(run.created_at, now.value)}
          </small>
        </li>
      ))}
    </ul>
  )
