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
            { name: 'events', title: 'Engine', show: () => <EngineEvents key="engine" isAudit={false} /> },
            { name: 'audit', title: 'Audit', show: () => <EngineEvents key="audit" isAudit /> },
            { name: 'cascades', title: 'Cascades', show: () => <Cascades /> },
            { name: 'dead', title: 'Dead letters', show: () => <DeadLetters /> },
            { name: 'health', title: 'Health', show: () => <Health /> },
            { name: 'alerts', title: 'Alerts', show: () => <Alerts user={user} /> },
          ]}
        />
      )}
    </div>
  )
}
