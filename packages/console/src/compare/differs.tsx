/** What differs between the runs, a column each; what they share is folded away. */
import { duration, oneLine, shortId } from '../format.ts'
import { Sheet, type SheetColumn } from '../parts/sheet.tsx'
import { Status } from '../parts/status.tsx'
import { differing } from './axes.ts'
import type { RunInfo } from './runs-of.ts'
import { change, shown } from './shown.ts'

interface DiffersProps {
  readonly runs: readonly RunInfo[]
  /** The others are narrowed away. */
  readonly kept: ReadonlySet<string> | null
  /** Null where the runs have no curve. */
  readonly metric: string | null
  readonly valueOf: (run: string) => number
}

/** What is told of a run. */
interface Fact {
  readonly name: string
  readonly valueOf: (run: RunInfo) => unknown
}

const facts: readonly Fact[] = [
  { name: 'flow', valueOf: (run) => run.flow },
  { name: 'seed', valueOf: (run) => run.seed },
  { name: 'version', valueOf: (run) => run.flow_version ?? null },
  { name: 'commit', valueOf: (run) => run.commit?.slice(0, 7) ?? null },
  { name: 'document', valueOf: (run) => run.digest?.slice(7, 14) ?? null },
]

export function Differs({ runs, kept, metric, valueOf }: DiffersProps) {
  const params = differing(runs)
  const isShared = (fact: Fact): boolean => new Set(runs.map((run) => JSON.stringify(fact.valueOf(run)))).size === 1
  const columnsOf: readonly Fact[] = [
    ...params.map((name) => ({ name, valueOf: (run: RunInfo): unknown => run.params[name] })),
    ...facts.filter((fact) => !isShared(fact)),
    { name: 'duration', valueOf: (run) => run.duration_s },
    ...(metric === null ? [] : [{ name: metric, valueOf: ({ id }: RunInfo): unknown => valueOf(id) }]),
  ]
  const order = shown.value.get('order') ?? columnsOf.at(-1)?.name ?? ''
  const isDown = order.startsWith('-')
  const by = columnsOf.find(({ name }) => name === (isDown ? order.slice(1) : order)) ?? columnsOf[0]
  const rows = runs
    .filter(({ id }) => kept === null || kept.has(id))
    .toSorted((a, b) => compared(by?.valueOf(a), by?.valueOf(b), isDown))
  const columns: SheetColumn<RunInfo>[] = [
    {
      title: 'Run',
      show: ({ id, flow }) => (
        <a href={`#/runs/${id}`}>
          {flow} <code>{shortId(id)}</code>
        </a>
      ),
    },
    { title: 'Status', show: ({ status }) => <Status is={status} isWord /> },
    ...columnsOf.map((fact) => sortable(fact, fact === by ? (isDown ? 'descending' : 'ascending') : undefined)),
  ]
  const shared = [
    ...Object.keys(runs[0]?.params ?? {})
      .filter((name) => !params.includes(name))
      .map((name) => ({ name, valueOf: (run: RunInfo): unknown => run.params[name] })),
    ...facts.filter((fact) => isShared(fact) && runs[0] && fact.valueOf(runs[0]) !== null),
  ]
  return (
    <>
      <Sheet name="Runs and what differs between them" columns={columns} rows={rows} keyOf={({ id }) => id} />
      {runs.length < 2 || shared.length === 0 ? null : (
        <details class="shared">
          <summary>The same in all: {shared.map(({ name }) => name).join(', ')}</summary>
          <table class="values">
            <tbody>
              {shared.map(({ name, valueOf: read }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{oneLine(runs[0] && read(runs[0]), 200)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  )
}

/** A column whose head sorts by it, and by the greatest first when pressed again. */
const sortable = ({ name, valueOf }: Fact, sorted: SheetColumn<RunInfo>['sorted']): SheetColumn<RunInfo> => ({
  title: name,
  is: 'num',
  sorted,
  head: (
    <button class="bare" onClick={() => change({ order: sorted === 'ascending' ? `-${name}` : name })}>
      {name}
      {sorted === undefined ? '' : sorted === 'ascending' ? ' ↑' : ' ↓'}
    </button>
  ),
  show: (run) => (name === 'duration' ? duration(run.duration_s) : textOf(valueOf(run))),
})

const textOf = (value: unknown): string => (value == null || Number.isNaN(value) ? '' : oneLine(value, 40))

/** Numbers as numbers, others as texts; nothing comes last either way. */
function compared(a: unknown, b: unknown, isDown: boolean): number {
  const isNone = (value: unknown): boolean => value == null || Number.isNaN(value)
  if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b))
  const [first, second] = isDown ? [b, a] : [a, b]
  if (typeof first === 'number' && typeof second === 'number') return first - second
  return String(JSON.stringify(first)).localeCompare(String(JSON.stringify(second)))
}
