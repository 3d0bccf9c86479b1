/**
 * A new run, or a sweep of them: the inputs of a flow as fields. The plan comes first: which stages would execute, which are
 * in the cache, and why. What is typed stands in the address.
 */
import type { Flow, FlowListItem, Run, RunPlan } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { post, Problem } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { counted, duration, number } from '../format.ts'
import { type Faults, faultsOf } from '../parts/form.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { go, query, setQuery } from '../router.ts'
import { combinationsOf, type FieldValues, MAX_RUNS, textOf, valuesOf } from './search.ts'

/** Names in the address: inputs may be called anything. */
const [SEEDS, NO_CACHE] = ['seeds', 'no_cache']
const keyOf = (input: string): string => `p.${input}`
/** Flows in a list without a search. */
const MOST_LISTED = 12

/** The address of a run with the same values, to change some of them. */
export function changedRunPath({ flow, inputs, seed }: Run): string {
  const given = inputs.filter((input) => !input.default)
  return `/runs/new?${new URLSearchParams([
    ['flow', flow],
    ...given.map(({ name, value, dtype }) => [keyOf(name), textOf(value, dtype)]),
    ...(seed === null ? [] : [[SEEDS, String(seed)]]),
  ] as string[][])}`
}

export function NewRun() {
  const { data: flows, problem } = useResource<FlowListItem[]>('/flows/').value
  if (flows === undefined) {
    return (
      <div class="page">{problem ? <Refused problem={problem} again={() => void load('/flows/')} /> : <Loading />}</div>
    )
  }
  const known = flows.filter(({ mode, status }) => mode === 'batch' && status === 'ready')
  const wanted = query.value.get('flow')
  const chosen = wanted === null ? known[0] : known.find(({ name }) => name === wanted)
  return (
    <div class="page">
      <header class="head">
        <a class="crumb" href="#/runs">
          Runs
        </a>
        <h1>New run</h1>
      </header>
      {chosen ? (
        <>
          <FlowChoice known={known} chosen={chosen.name} />
          <Inputs key={chosen.name} flow={chosen.name} />
        </>
      ) : wanted === null ? (
        <Empty title="There is no batch flow to run">
          One that is published is listed here: <code>service flows save fit.json --publish</code>
        </Empty>
      ) : (
        <Empty title={`The flow ${wanted} cannot be run`}>
          A flow that runs is a batch flow, published and without errors. <a href="#/runs/new">Choose another one</a>
        </Empty>
      )}
    </div>
  )
}

interface FlowChoiceProps {
  readonly known: readonly FlowListItem[]
  readonly chosen: string
}

/** A list to choose from; of many flows, a field that finds them by a part of their name or title. */
function FlowChoice({ known, chosen }: FlowChoiceProps) {
  const take = (flow: string): void => {
    if (!known.some(({ name }) => name === flow)) return
    const kept = [...query.peek().keys()].map((key) => [key, null])
    setQuery({ ...(Object.fromEntries(kept) as Record<string, null>), flow })
  }
  const options = known.map(({ name, title }) => (
    <option key={name} value={name}>
      {title === '' ? name : `${title} (${name})`}
    </option>
  ))
  return (
    <div class="choice">
      <label for="flow">Flow</label>
      {known.length > MOST_LISTED ? (
        <>
          <input
            id="flow"
            type="search"
            class="flow-choice"
            list="flows"
            defaultValue={chosen}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => take(event.currentTarget.value)}
          />
          <datalist id="flows">{options}</datalist>
        </>
      ) : (
        <select id="flow" value={chosen} onChange={(event) => take(event.currentTarget.value)}>
          {options}
        </select>
      )}
    </div>
  )
}

function Inputs({ flow }: { flow: string }) {
  const path = `/flows/${encodeURIComponent(flow)}?published=true`
  const { data, problem } = useResource<Flow>(path).value
  if (data === undefined) return problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />
  return <Form flow={flow} inputs={data.inputs} />
}

type Planned = { readonly plan: RunPlan } | { readonly refused: Faults } | null

/** What is typed, what it asks for, and what is done with it. */
function useSearch(flow: string, inputs: Flow['inputs']) {
  const typed = query.value
  const [planned, setPlanned] = useState<Planned>(null)
  const [isBusy, setBusy] = useState(false)
  // a plan is of what was typed then
  useEffect(() => setPlanned(null), [typed])
  const fields = inputs.map((input) => ({ input, found: valuesOf(typed.get(keyOf(input.name)) ?? '', input.dtype) }))
  const seeds = valuesOf(typed.get(SEEDS) ?? '', 'int')
  const asked = askedOf(fields, seeds)
  const noCache = typed.get(NO_CACHE) === 'true'
  const act = async (work: (asked: Asked) => Promise<Planned>): Promise<void> => {
    if (asked === null) return
    setBusy(true)
    try {
      setPlanned(await work(asked))
    } catch (problem) {
      setPlanned({ refused: faultsOf(byInput(problem), [SEEDS, ...inputs.map(({ name }) => keyOf(name))]) })
    } finally {
      setBusy(false)
    }
  }
  const to = `/runs/flows/${encodeURIComponent(flow)}`
  const plan = () =>
    act(async (of) => ({ plan: await post<RunPlan>(`${to}/plan`, { ...bodyOf(of), no_cache: noCache }) }))
  const submit = () =>
    act(async (of) => {
      go(await submitted(to, of, noCache))
      return null
    })
  return { fields, seeds, asked, noCache, planned, isBusy, plan, submit }
}

/**
 * What the engine says of the runs of a sweep (`/runs/7/lr`, `/seeds/7`) or of one (`/params/lr`, `/seed`), as of the fields
 * here: the first run that an input is refused of speaks for all.
 */
function byInput(problem: unknown): unknown {
  if (!(problem instanceof Problem)) return problem
  const errors = problem.errors.map(({ path, message }) => {
    const [, input] = /^\/(?:params|runs\/\d+)\/([^/]+)/.exec(path) ?? []
    if (input !== undefined) return { path: keyOf(input.replaceAll('~1', '/').replaceAll('~0', '~')), message }
    return { path: /^\/seeds?\b/.test(path) ? SEEDS : path, message }
  })
  return new Problem(problem.status, problem.code, problem.message, { errors })
}

/** Submits it; where it is shown then. */
async function submitted(to: string, asked: Asked, noCache: boolean): Promise<string> {
  const { runs, seeds } = asked
  if (runs.length === 1 && seeds.length < 2) {
    const given = { params: runs[0], ...(seeds.length === 0 ? {} : { seed: seeds[0] }), no_cache: noCache }
    return `/runs/${(await post<{ id: string }>(to, given)).id}`
  }
  const sweep = await post<{ runs: { group_id: string | null }[] }>(`${to}/sweep`, {
    ...bodyOf(asked),
    no_cache: noCache,
  })
  return `/runs?group=${sweep.runs[0]?.group_id}`
}

function Form({ flow, inputs }: { flow: string; inputs: Flow['inputs'] }) {
  const { fields, seeds, asked, noCache, planned, isBusy, plan, submit } = useSearch(flow, inputs)
  const ready = planned !== null && 'plan' in planned ? planned.plan : null
  const refused = planned !== null && 'refused' in planned ? planned.refused : null
  const count = asked === null ? 0 : asked.runs.length * Math.max(1, asked.seeds.length)
  return (
    <form
      class="new-run"
      onSubmit={(event) => {
        event.preventDefault()
        void plan()
      }}
    >
      <p class="hint">Several values of a field, as 0.1, 0.3 or 1..5 or "a", "b", make a sweep of all combinations.</p>
      {fields.map(({ input, found }) => (
        <Text
          key={input.name}
          name={keyOf(input.name)}
          label={input.name}
          about={[input.dtype, input.title, initialOf(input)].filter(Boolean).join(' · ')}
          initial={input.initial === null ? '' : textOf(input.initial, input.dtype)}
          found={found}
          refused={refused?.at[keyOf(input.name)]}
        />
      ))}
      <Text
        name={SEEDS}
        label="Seeds"
        about="whole numbers; each combination once for each"
        initial=""
        found={seeds}
        refused={refused?.at[SEEDS]}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={noCache}
          onChange={(event) => setQuery({ [NO_CACHE]: event.currentTarget.checked ? 'true' : null })}
        />{' '}
        Ignore the cache: execute every stage
      </label>
      <div class="go">
        <button class={ready ? '' : 'primary'} disabled={isBusy || asked === null}>
          Plan {asked === null ? '' : counted(count, 'run')}
        </button>
        {ready ? (
          <button type="button" class="primary" disabled={isBusy} onClick={() => void submit()}>
            Submit {counted(ready.runs, 'run')}
          </button>
        ) : null}
      </div>
      {refused === null || refused.text === null ? null : (
        <p class="fault" role="alert">
          {refused.text}
        </p>
      )}
      {ready ? <Plan of={ready} /> : null}
    </form>
  )
}

/** An input without a value to begin with has to be given, unless anything will do. */
function initialOf({ initial, dtype }: Flow['inputs'][number]): string {
  if (initial === null) return dtype === 'any' ? '' : 'has to be given'
  return `default ${textOf(initial, dtype)}`
}

interface Asked {
  readonly runs: readonly Record<string, unknown>[]
  readonly seeds: readonly unknown[]
}

/** Null while a field has a fault, or there would be too many runs. */
function askedOf(
  fields: readonly { readonly input: { readonly name: string }; readonly found: FieldValues }[],
  seeds: FieldValues,
): Asked | null {
  const given = fields.flatMap(({ input, found }) => ('values' in found ? [{ name: input.name, ...found }] : []))
  if (given.length < fields.length || !('values' in seeds)) return null
  const runs = combinationsOf(given)
  if (runs === null || runs.length * Math.max(1, seeds.values.length) > MAX_RUNS) return null
  return { runs, seeds: seeds.values }
}

/** The engine takes a seed for each run. */
const bodyOf = ({ runs, seeds }: Asked) =>
  seeds.length === 0
    ? { runs }
    : { runs: runs.flatMap((params) => seeds.map(() => params)), seeds: runs.flatMap(() => seeds) }

interface TextProps {
  readonly name: string
  readonly label: string
  readonly about: string
  readonly initial: string
  readonly found: FieldValues
  /** What the engine has against it. */
  readonly refused: string | undefined
}

function Text({ name, label, about, initial, found, refused }: TextProps) {
  const id = `field-${name}`
  const fault = 'fault' in found ? found.fault : (refused ?? null)
  return (
    <div class="field">
      <label for={id}>
        {label} <small>{about}</small>
      </label>
      <input
        id={id}
        value={query.value.get(name) ?? ''}
        placeholder={initial}
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : `${id}-fault`}
        onInput={(event) => setQuery({ [name]: event.currentTarget.value })}
      />
      {fault === null ? null : (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

const Plan = ({ of: { runs, stages, expected_s: expected } }: { of: RunPlan }) => (
  <section class="card" aria-label="Plan">
    <h2>
      {counted(runs, 'run')}
      {expected === null ? '' : `, about ${duration(expected)} of work`}
    </h2>
    <table class="values plan">
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">Executes</th>
          <th scope="col">From the cache</th>
          <th scope="col">Not known yet</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {stages.map(({ node, misses, hits, unknown, why }) => (
          <tr key={node}>
            <th scope="row">{node}</th>
            <td>{number(misses)}</td>
            <td>{number(hits)}</td>
            <td>{number(unknown)}</td>
            <td>{why.join(' · ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
