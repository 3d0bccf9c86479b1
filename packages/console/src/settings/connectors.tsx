/** Packages that bring node types, and what they keep: pairings and tokens of theirs, by key, shown to nobody. */
import type { Modules, NodeType, User } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { say } from '../parts/toast.tsx'
import { query, setQuery } from '../router.ts'
import { MODULES } from './modules.tsx'

const TYPES = '/flows/node-types'

interface Connector {
  readonly name: string
  readonly version: string
  readonly types: readonly string[]
  /** Why its nodes cannot be used; null when they can. */
  readonly reason: string | null
}

export function Connectors({ user }: { user: User }) {
  const { data: types, problem } = useResource<NodeType[]>(TYPES).value
  const { data: modules } = useResource<Modules>(MODULES).value
  if (types === undefined) return problem ? <Refused problem={problem} again={() => void load(TYPES)} /> : <Loading />
  const connectors = connectorsOf(types, modules)
  if (connectors.length === 0) {
    return (
      <Empty title="No connectors yet">
        A connector is an npm package with node types. Add it to the modules as <code>npm:its-name@^1.0.0</code>, or
        give it to <code>createService</code>.
      </Empty>
    )
  }
  const chosen = connectors.find(({ name }) => name === query.value.get('connector'))
  return (
    <>
      <Sheet
        name="Connectors"
        rows={connectors}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Package', show: ({ name }) => name },
          { title: 'Version', show: ({ version }) => <code>{version}</code> },
          {
            title: 'State',
            show: ({ reason }) =>
              reason === null ? (
                <Status is="ready" isWord />
              ) : (
                <>
                  <Status is="failed" /> {reason}
                </>
              ),
          },
          { title: 'Node types', is: 'wrap', show: ({ types: own }) => own.join(', ') },
          {
            title: '',
            show: ({ name, types: own }) =>
              own.length > 0 && user.is_superuser ? (
                <span class="row-actions">
                  <button
                    aria-pressed={chosen?.name === name}
                    onClick={() => setQuery({ connector: chosen?.name === name ? null : name })}
                  >
                    What it keeps
                  </button>
                </span>
              ) : null,
          },
        ]}
      />
      {chosen?.types[0] === undefined || !user.is_superuser ? null : (
        <Kept key={chosen.name} name={chosen.name} type={chosen.types[0]} />
      )}
    </>
  )
}

function connectorsOf(types: readonly NodeType[], modules: Modules | undefined): Connector[] {
  const known = new Map<string, Connector>()
  for (const { type, package: name, version, missing } of types) {
    if (name === null) continue
    const before = known.get(name)
    known.set(name, {
      name,
      version: version ?? '',
      types: [...(before?.types ?? []), type],
      reason: before?.reason ?? missing,
    })
  }
  for (const { package: name, version, node_types: own, status, reason } of modules?.connectors ?? [])
    if (!known.has(name))
      known.set(name, {
        name,
        version,
        types: status === 'loaded' ? own : [],
        reason: reason ?? (status === 'loaded' ? null : status),
      })
  return [...known.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** The keys under which a package keeps something. */
function Kept({ name, type }: { name: string; type: string }) {
  const path = `/connectors/${encodeURIComponent(type)}/state`
  const { data: keys, problem } = useResource<string[]>(path).value
  const [asked, ask] = useState<{ readonly key: string | null } | null>(null)
  if (keys === undefined) return problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />
  return (
    <section aria-label={`What ${name} keeps`}>
      <h2>What {name} keeps</h2>
      {keys.length === 0 ? (
        <p class="hint">Nothing.</p>
      ) : (
        <>
          <Sheet
            name={`Keys of ${name}`}
            rows={keys}
            keyOf={(key) => key}
            columns={[
              { title: 'Key', is: 'wrap', show: (key) => <code>{key}</code> },
              {
                title: '',
                show: (key) => (
                  <span class="row-actions">
                    <button onClick={() => ask({ key })}>Forget</button>
                  </span>
                ),
              },
            ]}
          />
          <p>
            <button onClick={() => ask({ key: null })}>Forget all</button>
          </p>
        </>
      )}
      {asked ? (
        <Confirm
          title={asked.key === null ? `Forget all that ${name} keeps?` : `Forget ${asked.key}?`}
          verb="Forget"
          close={() => ask(null)}
          act={async () => {
            await call('DELETE', asked.key === null ? path : `${path}/${encodeURIComponent(asked.key)}`)
            say(asked.key === null ? `${name} keeps nothing now` : `${asked.key} is forgotten`)
            await load(path)
          }}
        >
          <p>The package pairs, or learns, anew when a flow with nodes of it is started the next time.</p>
        </Confirm>
      ) : null}
    </section>
  )
}
