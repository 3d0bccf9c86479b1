/** Dashboards of a whole service on the database of the test project. */
import { batchFlow, input, stage, stream, t } from '@flow-service/flow-sdk'
import type { ArtifactRef, Dashboard, ObservabilityEvent } from '@flow-service/protocol'

import { startService, type TestService } from '../observability/service.ts'

const work = stage('work', {
  in: { n: t.int },
  out: {
    loss: stream(t.float),
    step: stream(t.int),
    note: stream(t.str),
    error: t.float,
    rows: t.array,
    photo: t.image,
    report: t.object,
    model: t.artifact,
  },
  // never run but for its curves
  *run({ n }): Generator<{ loss: number; step: number }, never> {
    for (let i = 1; i <= n; i++) yield { loss: 1 / i, step: i }
    throw new Error('there is no photo')
  },
})

/** A batch flow with two numeric curves, and an output of each kind. */
export const fit = batchFlow(
  'fit',
  { n: input(t.int, 3) },
  (p, use) => {
    const { error, rows, photo, report, model } = use(work, { n: p.n })
    return { error, rows, photo, summary: report, model }
  },
  { title: 'Fit' },
)

export const widget = (more: object = {}) => ({ id: 'temp', type: 'value', x: 0, y: 0, w: 3, h: 2, ...more })
export const contentOf = (...widgets: object[]) => ({ widgets })

/** Statuses of answers, the smallest first. */
export const statusesOf = (answers: readonly { readonly status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

export type DashboardService = Awaited<ReturnType<typeof startDashboards>>

/** A service, and the operations on dashboards by ann, who is no superuser. */
export async function startDashboards(options: Parameters<typeof startService>[0] = {}) {
  const at: TestService = await startService({ flows: [fit], ...options })
  const { ann } = at
  return {
    ...at,
    create: (name: string, body?: object) => ann<Dashboard>('POST', `/dashboards/${name}`, body),
    save: (name: string, body: object) => ann<Dashboard>('PUT', `/dashboards/${name}`, body),
    read: (name: string, query = '') => ann<Dashboard>('GET', `/dashboards/${name}${query}`),
    act: (name: string, verb: string, body?: object) => ann<Dashboard>('POST', `/dashboards/${name}/${verb}`, body),
    /** Makes one and publishes it. */
    async published(name: string, body: object): Promise<Dashboard> {
      await ann('POST', `/dashboards/${name}`, body)
      return (await ann<Dashboard>('POST', `/dashboards/${name}/publish`)).value
    },
    /** Actions on a dashboard in the audit trail, oldest first. */
    async audited(name: string): Promise<ObservabilityEvent[]> {
      const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=audit&limit=500')
      return value.filter(({ detail }) => (detail as { dashboard?: string }).dashboard === name).toReversed()
    },
    /** Stores a picture. */
    async picture(text: string): Promise<ArtifactRef> {
      const answer = await fetch(`${at.origin}/api/v1/artifacts?name=a.png`, {
        method: 'PUT',
        body: text,
        headers: { authorization: `Bearer ${at.annToken}`, 'content-type': 'image/png' },
      })
      return (await answer.json()) as ArtifactRef
    },
    /** What `await using` takes. */
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  }
}
