/** The packages that nodes use: a list of requirements, applied beside what is in force, with its progress. */
import type { Modules as ModulesNow, User } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, counted } from '../format.ts'
import { now } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { Field, Form } from '../parts/form.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { say } from '../parts/toast.tsx'

export const MODULES = '/modules/'

export function Modules({ user }: { user: User }) {
  const { data: modules, problem } = useResource<ModulesNow>(MODULES).value
  useEffect(
    () =>
      follow({ kinds: ['modules'] }, (frames) => {
        if (frames.some(({ type }) => type === 'modules')) void load(MODULES)
      }),
    [],
  )
  if (modules === undefined) {
    return problem ? <Refused problem={problem} again={() => void load(MODULES)} /> : <Loading />
  }
  return (
    <div class="columns-2">
      <section class="card">
        <h2>Requirements</h2>
        <Requirements key={modules.applied_at} modules={modules} mayApply={user.is_superuser} />
        <State modules={modules} />
      </section>
      <section>
        {modules.packages.length === 0 ? (
          <Empty title="Nothing is installed">
            Python nodes use the standard library until you apply requirements.
          </Empty>
        ) : (
          <Sheet
            name="Installed packages"
            rows={modules.packages}
            keyOf={({ ecosystem, name }) => `${ecosystem} ${name}`}
            columns={[
              { title: 'Package', show: ({ name }) => name },
              { title: 'Version', show: ({ version }) => <code>{version}</code> },
              { title: 'From', show: ({ ecosystem }) => ecosystem },
            ]}
          />
        )}
      </section>
    </div>
  )
}

function Requirements({ modules, mayApply }: { modules: ModulesNow; mayApply: boolean }) {
  const [text, setText] = useState(modules.requirements)
  const isAdopted = modules.environment.kind === 'adopted'
  const submit = async (): Promise<void> => {
    await post<ModulesNow>('/modules/apply', { requirements: text })
    say('Applying: what is in force is used until it is complete')
    await load(MODULES)
  }
  return (
    <Form
      fields={['/requirements']}
      verb="Apply"
      submit={submit}
      isReady={mayApply && !isAdopted && modules.state !== 'applying'}
    >
      {({ at }) => (
        <>
          <Field label="One a line" about="numpy>=2, or npm:<package>@<range>" fault={at['/requirements']}>
            {(tied) => (
              <textarea
                {...tied}
                class="mono"
                rows={10}
                spellcheck={false}
                readOnly={!mayApply || isAdopted}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
          </Field>
          {isAdopted ? (
            <p class="hint">
              The engine uses the environment <code>{modules.environment.path}</code>, which it does not change: install
              there by hand.
            </p>
          ) : mayApply ? null : (
            <p class="hint">Superusers apply requirements.</p>
          )}
        </>
      )}
    </Form>
  )
}

const looks = { ready: 'ready', applying: 'running', failed: 'failed' } as const

function State({
  modules: { state, error, progress, log, applied_at: ts, environment, ...of },
}: {
  modules: ModulesNow
}) {
  return (
    <div class="module-state">
      <p>
        <Status is={looks[state]} isWord />{' '}
        {progress === null
          ? ts === null
            ? 'never applied'
            : `applied ${ago(ts, now.value)}`
          : `${progress.step}: ${progress.done} of ${progress.total}${progress.line === null ? '' : `, ${progress.line}`}`}
      </p>
      {progress === null ? null : <progress value={progress.done} max={Math.max(1, progress.total)} />}
      {error === null ? null : (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {of.pending_restart ? <p class="hint">npm packages have changed: start the engine again to use them.</p> : null}
      {environment.python === null ? null : (
        <p class="hint">
          Python {environment.python}
          {environment.path === null ? '' : ` in ${environment.path}`}
        </p>
      )}
      {log.length === 0 ? null : (
        <details open={state !== 'ready'}>
          <summary>{counted(log.length, 'line')} of the last apply</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
          <pre class="log" tabIndex={0} aria-label="What the last apply has said">
            {log.join('\n')}
          </pre>
        </details>
      )}
    </div>
  )
}
