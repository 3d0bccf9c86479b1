/** The area of flows: the list of them, and one by its name. The canvas is loaded for the latter alone. */
import { lazy } from '../parts/lazy.tsx'
import { path } from '../router.ts'
import { FlowTable } from './list.tsx'

import './flow.css'

const FlowPage = lazy(() => import('./flow-page.tsx').then((page) => page.FlowPage))

export function Flows() {
  const name = path.value[1]
  return name === undefined ? <FlowTable /> : <FlowPage key={name} name={name} />
}
