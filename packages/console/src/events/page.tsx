/** What has happened: to the engine, in flows, by people; what was not done, and who is told. */
import type { User } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import { Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Alerts } from './alerts.tsx'
import { Cascades } from './cascades.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { EngineEvents } from './engine-events.tsx'
import { Health } from './health.tsx'

import './events.css'

export function Events() {
  const { data: user } = useResource<User>('/users/me').value
  return (
    <div class="page">
      <header class="head">
        <h1>Events</h1>
      </header>
      {user === undefined ? (
        <Loading />
      ) : (
        <Tabs
          tabs={[
            {
              name: 'events',
              title: 'Engine',
              about: 'What happened to the engine: its connections, alerts, workers and devices.',
              show: () => <EngineEvents key="engine" isAudit={false} />,
            },
            {
              name: 'audit',
              title: 'Audit',
              about: 'Who changed what, from the console, the command line or the API.',
              show: () => <EngineEvents key="audit" isAudit />,
            },
            {
              name: 'cascades',
              title: 'Cascades',
              about: 'What one webhook, timer or value set off in a live flow, from its first node to its last.',
              show: () => <Cascades />,
            },
            {
              name: 'dead',
              title: 'Dead letters',
              about: 'Deliveries that ended without being done: replay them, or dismiss them.',
              show: () => <DeadLetters />,
            },
            { name: 'health', title: 'Health', show: () => <Health /> },
            {
              name: 'alerts',
              title: 'Alerts',
              about: 'Who is told by webhook, push or e-mail when something goes wrong.',
              show: () => <Alerts user={user} />,
            },
          ]}
        />
      )}
    </div>
  )
}
