/** The area of runs: the list, a new one, and one by its id. */
import { path } from '../router.ts'
import { NewRun } from './new-run.tsx'
import { RunPage } from './run-page.tsx'
import { RunsPage } from './runs-page.tsx'

export function Runs() {
  const id = path.value[1]
  if (id === 'new') return <NewRun />
  return id === undefined ? <RunsPage /> : <RunPage key={id} id={id} />
}
