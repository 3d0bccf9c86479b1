/**
 * What publishing a draft would change: nodes, settings, code, who reads what changes, what waits. Nothing is published that
 * somebody has not seen here, for the version is named.
 */
import type { Flow, FlowDiff, FlowGraph, PublishedFlow } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { get, post, Problem } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { counted } from '../format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Loading, Refused } from '../parts/states.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { DiffView, isEmptyDiff } from './diff-view.tsx'
import { type AffectedReader, affectedReaders, diffOfNew } from './diff.ts'
import { type Editing, pathOf } from './editing.ts'
import { Issues } from './node-editor.tsx'

interface Plan {
  readonly flow: Flow
  readonly diff: Pick<FlowDiff, 'flow' | 'nodes' | 'wires'>
  readonly readers: readonly AffectedReader[]
}

async function planOf({ draft, name }: Editing): Promise<Plan> {
  if (!(await draft.flush())) {
    const problem = draft.problem.peek()
    throw new Problem(
      problem?.status ?? 0,
      problem?.code ?? 'unsaved',
      problem?.message ?? 'The draft is not saved yet.',
    )
  }
  const path = pathOf(name)
  const [flow, graph] = await Promise.all([get<Flow>(path), get<FlowGraph>('/flows/graph')])
  const before = flow.published_version === null ? null : await get<Flow>(`${path}?published=true`)
  const diff =
    before === null
      ? diffOfNew(flow)
      : await get<FlowDiff>(
          `${path}/versions/${flow.published_version}/diff?to=${flow.has_draft ? 'draft' : 'published'}`,
        )
  const changed = new Set(diff.nodes.map(({ id }) => id))
  return { flow, diff, readers: affectedReaders(name, changed, before ? [flow, before] : [flow], graph) }
}

interface PublishProps {
  readonly editing: Editing
  readonly close: () => void
}

export function PublishDialog({ editing, close }: PublishProps) {
  const [plan, setPlan] = useState<Plan | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const ask = (): void => {
    setProblem(null)
    planOf(editing).then(setPlan, (error: unknown) =>
      setProblem(error instanceof Problem ? error : new Problem(0, 'unknown', String(error))),
    )
  }
  useEffect(ask, [])
  const publish = async (flow: Flow): Promise<void> => {
    setBusy(true)
    try {
      const done = await post<PublishedFlow>(`${pathOf(editing.name)}/publish`, { version: flow.version })
      editing.draft.meet(done)
      void load(pathOf(editing.name))
      say(
        `Version ${done.published_version} is published${done.rebuilt.length === 0 ? '' : `, ${counted(done.rebuilt.length, 'node')} made anew`}.`,
      )
      close()
    } catch (error) {
      sayFault(error)
      // somebody was faster: what would be published now is another thing
      if (error instanceof Problem && error.code === 'version_conflict') {
        editing.draft.meet(await get<Flow>(pathOf(editing.name)))
        ask()
      }
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Publish ${editing.draft.doc.peek().title || editing.name}`} close={close} isWide>
      {problem ? <Refused problem={problem} again={ask} /> : null}
      {plan === null && problem === null ? <Loading /> : null}
      {plan ? <PlanView plan={plan} /> : null}
      <div class="go">
        <button onClick={close}>Not yet</button>
        {plan ? (
          <button class="primary" disabled={isBusy || !canPublish(plan)} onClick={() => void publish(plan.flow)}>
            Publish
          </button>
        ) : null}
      </div>
    </Dialog>
  )
}

const errorsOf = ({ flow }: Plan) => flow.issues.filter(({ severity }) => severity === 'error')
const canPublish = (plan: Plan): boolean => plan.flow.has_draft && errorsOf(plan).length === 0

function PlanView({ plan }: { readonly plan: Plan }) {
  const { flow, diff, readers } = plan
  const count = (change: string): number => diff.nodes.filter((node) => node.change === change).length
  const errors = errorsOf(plan).length
  return (
    <>
      <p>
        {flow.has_draft ? (
          <>
            {counted(count('added'), 'node')} added, {counted(count('changed'), 'node')} changed,{' '}
            {counted(count('removed'), 'node')} removed.
            {flow.published_version === null ? ' It was never published before.' : null}
          </>
        ) : (
          'There is no draft: what is published is what you see.'
        )}
      </p>
      {errors === 0 ? null : (
        <p class="fault">
          {counted(errors, 'error')} {errors === 1 ? 'keeps' : 'keep'} it from being published.
        </p>
      )}
      <Issues issues={flow.issues} />
      {flow.held === 0 ? null : (
        <p>
          {counted(flow.held, 'delivery', 'deliveries')} wait while the flow is paused, and go to the nodes that are
          published then.
        </p>
      )}
      {readers.length === 0 ? null : (
        <section aria-label="Readers">
          <h3>Other flows that read what changes</h3>
          <ul class="wire-list">
            {readers.map(({ flow: reader, messages }) => (
              <li key={reader}>
                <a href={`#/flows/${encodeURIComponent(reader)}`}>{reader}</a> reads <code>{messages.join(', ')}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {flow.has_draft && !isEmptyDiff(diff) ? <DiffView diff={diff} /> : null}
    </>
  )
}
