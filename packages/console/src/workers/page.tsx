/** What executes nodes beside the engine: workers, the tokens by which they attach, what starts them, and sizes. */
import type { User } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import { Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Flavors } from './flavors.tsx'
import { Pool } from './pool.tsx'
import { Provisioners } from './provisioners.tsx'
import { Tokens } from './tokens.tsx'

import './workers.css'

export function Workers() {
  const { data: user } = useResource<User>('/users/me').value
  return (
    <div class="page">
      <header class="head">
        <h1>Workers</h1>
      </header>
      {user === undefined ? (
        <Loading />
      ) : (
        <Tabs
          tabs={[
            { name: 'pool', title: 'Attached', show: () => <Pool user={user} /> },
            ...(user.is_superuser ? [{ name: 'tokens', title: 'Tokens', show: () => <Tokens /> }] : []),
            { name: 'provisioners', title: 'Provisioners', show: () => <Provisioners user={user} /> },
            { name: 'flavors', title: 'Sizes', show: () => <Flavors user={user} /> },
          ]}
        />
      )}
    </div>
  )
}
