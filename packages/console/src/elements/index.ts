/**
 * `@flow-service/console/elements`: `<flow-graph>` and `<run-chart>` for the pages of other applications. Importing it defines
 * both; where there are no elements, as on a server, it does nothing.
 * @module
 */
import { FlowGraphElement } from './flow-graph.tsx'
import { RunChartElement } from './run-chart.tsx'

export type { NodeSelectDetail } from './flow-graph.tsx'
export type { PointSelectDetail } from './run-chart.tsx'
export type { ServiceErrorDetail, Token } from './engine.ts'
export { FlowGraphElement, RunChartElement }

declare global {
  interface HTMLElementTagNameMap {
    'flow-graph': FlowGraphElement
    'run-chart': RunChartElement
  }
}

// a page may load two copies of this module
const elements = { 'flow-graph': FlowGraphElement, 'run-chart': RunChartElement }
for (const [name, element] of Object.entries(elements))
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element)
