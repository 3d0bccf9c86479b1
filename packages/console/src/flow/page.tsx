/** The area of flows: the list of them, and one by its name. */
import { path } from '../router.ts'
import { FlowPage } from './flow-page.tsx'
import { FlowTable } from './list.tsx'

import './flow.css'

export function Flows() {
  const name = path.value[1]
  return name === undefined ? <FlowTable /> : <FlowPage key={name} name={name} />
}
