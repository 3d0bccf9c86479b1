/** What is set for the engine as a whole, and for who is signed in. */
import type { User } from '@flow-service/client-sdk'

import { load, useResource } from '../api/resource.ts'
import { Loading, Refused } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { About } from './about.tsx'
import { Account, ME } from './account.tsx'
import { Agents } from './agents.tsx'
import { Connectors } from './connectors.tsx'
import { Keys } from './keys.tsx'
import { Modules } from './modules.tsx'
import { Secrets } from './secrets.tsx'
import { Users } from './users.tsx'

import './settings.css'

export function Settings() {
  const { data: user, problem } = useResource<User>(ME).value
  return (
    <div class="page">
      <header class="head">
        <h1>Settings</h1>
      </header>
      {user === undefined ? (
        problem ? (
          <Refused problem={problem} again={() => void load(ME)} />
        ) : (
          <Loading />
        )
      ) : (
        <Tabs
          tabs={[
            { name: 'secrets', title: 'Secrets', show: () => <Secrets user={user} /> },
            {
              name: 'modules',
              title: 'Modules',
              about: 'Packages of Python and npm that the code of nodes imports.',
              show: () => <Modules user={user} />,
            },
            {
              name: 'connectors',
              title: 'Connectors',
              about: 'Packages that bring node types for devices and services, and what they keep.',
              show: () => <Connectors user={user} />,
            },
            ...(user.is_superuser ? [{ name: 'users', title: 'Users', show: () => <Users user={user} /> }] : []),
            {
              name: 'keys',
              title: 'Keys',
              about: 'Keys of the API, for programs that act for you.',
              show: () => <Keys />,
            },
            {
              name: 'agents',
              title: 'Agents',
              about: 'Assistants that use the engine by MCP, and the tokens that they have.',
              show: () => <Agents user={user} />,
            },
            { name: 'account', title: 'Account', show: () => <Account user={user} /> },
            { name: 'about', title: 'About', show: () => <About /> },
          ]}
        />
      )}
    </div>
  )
}
