/** The area of dashboards: the list, one to look at, and one to change. */
import { path } from '../router.ts'
import { BoardPage } from './board-page.tsx'
import { EditPage } from './edit-page.tsx'
import { BoardTable } from './list.tsx'

import '../parts/chart/chart.css'
import './dashboards.css'

export function Dashboards() {
  const [, name, what] = path.value
  if (name === undefined) return <BoardTable />
  return what === 'edit' ? <EditPage key={name} name={name} /> : <BoardPage key={name} name={name} />
}
