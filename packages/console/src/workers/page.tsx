/** What executes nodes beside the engine: workers, the tokens by which they attach, what starts them, and sizes. */
import type { User } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import { Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { query } from '../router.ts'
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
        <span class="grow" />
        {user?.is_superuser && query.value.get('tab') !== 'tokens' ? (
          <a class="button primary" href="#/workers?tab=tokens">
            Add a machine
          </a>
        ) : null}
      </header>
      {user === undefined ? (
        <Loading />
      ) : (
        <Tabs
          tabs={[
            { name: 'pool', title: 'Attached', show: () => <Pool user={user} /> },
            ...(user.is_superuser
              ? [
                  {
                    name: 'tokens',
                    title: 'Tokens',
                    about:
                      'A machine attaches as a worker with a token: make one, and run the command that is shown with it there.',
                    show: () => <Tokens />,
                  },
                ]
              : []),
            {
              name: 'provisioners',
              title: 'Provisioners',
              about: 'Clusters on which the engine starts workers by itself when calls wait for them.',
              show: () => <Provisioners user={user} />,
            },
            {
              name: 'flavors',
              title: 'Sizes',
              about: 'Named amounts of processors and memory that flows ask for.',
              show: () => <Flavors user={user} />,
            },
          ]}
        />
      )}
    </div>
  )
}
