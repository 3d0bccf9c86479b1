/** What differs between the runs, a column each; what they share is folded away. */
import { useState } from 'preact/hooks'

import { duration, oneLine, shortId } from '../format.ts'
import { Sheet, type SheetColumn } from '../parts/sheet.tsx'
import { Status } from '../parts/status.tsx'
import { differing } from './axes.ts'
import type { RunInfo } from './runs-of.ts'

interface DiffersProps {
  readonly runs: readonly RunInfo[]
  readonly metric: string
  readonly valueOf: (run: string) => number
}

const facts = [
  { name: 'flow', valueOf: (run: RunInfo): unknown => run.flow },
  { name: 'seed', valueOf: (run: RunInfo): unknown => run.seed },
  { name: 'commit', valueOf: (run: RunInfo): unknown => run.commit?.slice(0, 7) ?? null },
  { name: 'document', valueOf: (run: RunInfo): unknown => run.digest?.slice(7, 14) ?? null },
] as const

export function Differs({ runs, metric, valueOf }: DiffersProps) {
  const [sort, setSort] = useState<{ readonly by: string; readonly isDown: boolean }>({ by: metric, isDown: false })
  const params = differing(runs)
  const values = [
    ...params.map((name) => ({ name, valueOf: (run: RunInfo): unknown => run.params[name] })),
    ...facts.filter((fact) => new Set(runs.map(fact.valueOf)).size > 1),
    { name: 'duration', valueOf: (run: RunInfo): unknown => run.duration_s },
    { name: metric, valueOf: ({ id }: RunInfo): unknown => valueOf(id) },
  ]
  const by = values.find(({ name }) => name === sort.by) ?? values.at(-1)
  const rows = runs.toSorted((a, b) => (sort.isDown ? -1 : 1) * compared(by?.valueOf(a), by?.valueOf(b)))
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
    ...values.map(({ name, valueOf: read }) => ({
      title: name,
      is: 'num' as const,
      show: (run: RunInfo) => (name === 'duration' ? duration(run.duration_s) : oneLine(read(run) ?? '', 40)),
    })),
  ]
  const shared = Object.keys(runs[0]?.params ?? {}).filter((name) => !params.includes(name))
  return (
    <>
      <label class="choice">
        Sorted by{' '}
        <select value={by?.name} onChange={({ currentTarget }) => setSort({ ...sort, by: currentTarget.value })}>
          {values.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button aria-pressed={sort.isDown} onClick={() => setSort({ ...sort, isDown: !sort.isDown })}>
          greatest first
        </button>
      </label>
      <Sheet name="Runs and what differs between them" columns={columns} rows={rows} keyOf={({ id }) => id} />
      {shared.length === 0 ? null : (
        <details>
          <summary>
            The same in all: {shared.length} {shared.length === 1 ? 'parameter' : 'parameters'}
          </summary>
          <table class="values">
            <tbody>
              {shared.map((name) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{oneLine(runs[0]?.params[name], 200)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  )
}

/** Numbers as numbers, others as texts; nothing comes last. */
function compared(a: unknown, b: unknown): number {
  const isNone = (value: unknown): boolean => value == null || Number.isNaN(value)
  if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b))
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(JSON.stringify(a)).localeCompare(String(JSON.stringify(b)))
}
