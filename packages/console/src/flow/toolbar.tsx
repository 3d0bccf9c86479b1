/** The name of a flow, how it is, and what is done with it as a whole. */
import type { Flow, StepResult, ValidationResult } from '@flow-service/client-sdk'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { number } from '../format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { query, setQuery } from '../router.ts'

interface ToolbarProps {
  readonly flow: Flow
  /** Of the resource that the page shows. */
  readonly path: string
  /** What can be done to the draft, where somebody edits it. */
  readonly children?: ComponentChildren
}

export function Toolbar({ flow, path, children }: ToolbarProps) {
  const [isBusy, setBusy] = useState(false)
  const at = `/flows/${encodeURIComponent(flow.name)}`
  const act = async (work: () => Promise<string>): Promise<void> => {
    setBusy(true)
    try {
      say(await work())
      await load(path)
    } catch (problem) {
      sayFault(problem)
    } finally {
      setBusy(false)
    }
  }
  const validate = (): void =>
    void act(async () => {
      const { valid, issues } = await post<ValidationResult>(`${at}/validate`)
      return valid
        ? issues.length === 0
          ? 'Nothing is wrong with it'
          : 'It can run; see its issues'
        : 'It cannot run: see its issues'
    })
  return (
    <header class="head">
      <a class="crumb" href="#/flows">
        Flows
      </a>
      <h1 title={flow.name}>{flow.title || flow.name}</h1>
      <Status is={flow.status} isWord />
      <small>{factsOf(flow)}</small>
      {flow.status === 'paused' || flow.held > 0 ? (
        <small class="held" title="Deliveries that wait until the flow goes on, or a step lets one through">
          <b class="num">{number(flow.held)}</b> held
        </small>
      ) : null}
      <Form flow={flow} />
      <span class="grow" />
      <button aria-pressed={query.value.get('view') === 'table'} onClick={flipView}>
        Table
      </button>
      {flow.mode === 'batch' ? (
        <RunLinks flow={flow} />
      ) : (
        <LiveControls flow={flow} at={at} isBusy={isBusy} act={act} />
      )}
      {/* a draft is checked while somebody edits it */}
      {children ?? (
        <button disabled={isBusy} onClick={validate}>
          Validate
        </button>
      )}
    </header>
  )
}

const RunLinks = ({ flow: { name, published_version: version } }: { flow: Flow }) => (
  <>
    <a class="button" href={`#/runs?${new URLSearchParams({ flow: name })}`}>
      Its runs
    </a>
    {version === null ? null : (
      <a class="button primary" href={`#/runs/new?${new URLSearchParams({ flow: name })}`}>
        New run
      </a>
    )}
  </>
)

interface LiveControlsProps {
  readonly flow: Flow
  /** Of the flow in the API. */
  readonly at: string
  readonly isBusy: boolean
  /** Does it, and says what is resolved with. */
  readonly act: (work: () => Promise<string>) => Promise<void>
}

function LiveControls({ flow, at, isBusy, act }: LiveControlsProps) {
  const button = (icon: IconName, title: string, work: () => Promise<string>) => (
    <button disabled={isBusy} onClick={() => void act(work)}>
      <Icon name={icon} /> {title}
    </button>
  )
  const verb = (name: string, done: string) => async (): Promise<string> => {
    await post(`${at}/${name}`)
    return done
  }
  const step = async (): Promise<string> => {
    const { released, held } = await post<StepResult>(`${at}/step`)
    return released === 0 ? 'Nothing waits' : `Let through: ${number(released)}. Still held: ${number(held)}`
  }
  const stop = button('stop', 'Stop', verb('stop', 'Stopped'))
  if (flow.status === 'paused') {
    return (
      <>
        {button('step', 'Step', step)}
        {button('play', 'Resume', verb('resume', 'It goes on'))}
        {stop}
      </>
    )
  }
  if (flow.status === 'active') {
    return (
      <>
        {button('pause', 'Pause', verb('pause', 'Paused: what arrives is held'))}
        {stop}
      </>
    )
  }
  return flow.published_version === null ? null : button('play', 'Start', verb('start', 'Started'))
}

const flipView = (): void => setQuery({ view: query.peek().get('view') === 'table' ? null : 'table' })

const factsOf = ({ mode, published_version: version }: Flow): string =>
  `${mode} · ${version === null ? 'not published' : `v${version}`}`

/** Where there is a draft beside what is published: which of them is shown. */
function Form({ flow }: { flow: Flow }) {
  if (!flow.has_draft || flow.published_version === null) return null
  const isPublished = query.value.get('form') === 'published'
  return (
    <span class="choices" role="group" aria-label="Shown">
      <button class="chip" aria-pressed={!isPublished} onClick={() => setQuery({ form: null })}>
        Draft
      </button>
      <button class="chip" aria-pressed={isPublished} onClick={() => setQuery({ form: 'published' })}>
        Published
      </button>
    </span>
  )
}
