/** What runs here, how it is, and where more is to be found. */
import type { ObservabilitySummary } from '@flow-service/client-sdk'

import { load, useResource } from '../api/resource.ts'
import { Copied } from '../parts/copied.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { mcpAddress } from './agents.tsx'

const PATH = '/observability/summary'

export function About() {
  const { data: summary, problem } = useResource<ObservabilitySummary>(PATH).value
  if (summary === undefined) return problem ? <Refused problem={problem} again={() => void load(PATH)} /> : <Loading />
  return (
    <div class="columns-2">
      <section class="card">
        <h2>flow-service {summary.version}</h2>
        <ul class="plain">
          <li>
            <a href="../docs" target="_blank" rel="noopener">
              API reference
            </a>
          </li>
          <li>
            <a href="../api/v1/openapi.json" target="_blank" rel="noopener">
              OpenAPI document
            </a>
          </li>
          <li>
            <a href="./licenses.md" target="_blank" rel="noopener">
              Licences of what this page is built of
            </a>
          </li>
        </ul>
        <p>Agents come in over MCP:</p>
        <Copied text={mcpAddress()} label="the address for agents" />
      </section>
      <Sheet
        name="Checks of the engine"
        rows={Object.entries(summary.checks)}
        keyOf={([name]) => name}
        columns={[
          { title: 'Check', show: ([name]) => name },
          { title: 'State', show: ([, { status }]) => <Status is={status === 'down' ? 'failed' : status} isWord /> },
          { title: '', is: 'wrap', show: ([, { detail }]) => detail ?? '' },
        ]}
      />
    </div>
  )
}
