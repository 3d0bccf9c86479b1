/**
 * A new run, or a sweep of them: the inputs of a flow as fields. The plan comes first: which stages would execute, which are
 * in the cache, and why. What is typed stands in the address.
 */
import type { Flow, FlowListItem, RunPlan } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { post, type Problem } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { counted, duration, number } from '../format.ts'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { go, query, setQuery } from '../router.ts'
import { combinationsOf, type FieldValues, MAX_RUNS, valuesOf } from './search.ts'

/** Names in the address: inputs may be called anything. */
const [SEEDS, NO_CACHE] = ['seeds', 'no_cache']
const keyOf = (input: string): string => `p.${input}`

export function NewRun() {
  const { data: flows, problem } = useResource<FlowListItem[]>('/flows/').value
  if (flows === undefined) {
    return (
      <div class="page">{problem ? <Refused problem={problem} again={() => void load('/flows/')} /> : <Loading />}</div>
    )
  }
  const known = flows.filter(({ mode, status }) => mode === 'batch' && status === 'ready')
  const chosen = known.find(({ name }) => name === query.value.get('flow')) ?? known[0]
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
          <label class="choice">
            Flow{' '}
            <select
              value={chosen.name}
              onChange={(event) => {
                const kept = [...query.peek().keys()].map((key) => [key, null])
                setQuery({ ...(Object.fromEntries(kept) as Record<string, null>), flow: event.currentTarget.value })
              }}
            >
              {known.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title === '' ? name : `${title} (${name})`}
                </option>
              ))}
            </select>
          </label>
          <Inputs key={chosen.name} flow={chosen.name} />
        </>
      ) : (
        <Empty title="There is no batch flow to run">
          One that is published is listed here: <code>service flows save fit.json --publish</code>
        </Empty>
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

type Planned = { readonly plan: RunPlan } | { readonly refused: string } | null

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
      setPlanned({ refused: (problem as Problem).message })
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
  const count = asked === null ? 0 : asked.runs.length * Math.max(1, asked.seeds.length)
  return (
    <form
      class="new-run"
      onSubmit={(event) => {
        event.preventDefault()
        void plan()
      }}
    >
      {fields.map(({ input, found }) => (
        <Text
          key={input.name}
          name={keyOf(input.name)}
          label={input.name}
          about={[input.dtype, input.title].filter(Boolean).join(' · ')}
          initial={input.initial === null ? '' : JSON.stringify(input.initial)}
          found={found}
        />
      ))}
      <Text name={SEEDS} label="Seeds" about="whole numbers; each combination once for each" initial="" found={seeds} />
      <label class="choice">
        <input
          type="checkbox"
          checked={noCache}
          onChange={(event) => setQuery({ [NO_CACHE]: event.currentTarget.checked ? 'true' : null })}
        />{' '}
        Execute every stage again
      </label>
      <p class="hint">Several values of a field, 0.1, 0.3 or 1..5, make a sweep of all combinations.</p>
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
      {planned !== null && 'refused' in planned ? (
        <p class="fault" role="alert">
          {planned.refused}
        </p>
      ) : null}
      {ready ? <Plan of={ready} /> : null}
    </form>
  )
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
}

function Text({ name, label, about, initial, found }: TextProps) {
  const id = `field-${name}`
  const fault = 'fault' in found ? found.fault : null
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
