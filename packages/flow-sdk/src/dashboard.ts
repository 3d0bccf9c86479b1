/**
 * Dashboards in TypeScript: widgets, placed from left to right (wire decision U9). A built dashboard is a plain object that
 * holds what it shows.
 * @module
 */
import {
  dashboardCreateSchema,
  dashboardNameSchema,
  type DashboardObject,
  placedInRows,
  type WidgetInput,
} from '@flow-service/protocol'

import { defined } from './definition.ts'
import { FlowError } from './flow-error.ts'
import type { Widget } from './widgets.ts'

/** What a dashboard is made of. */
export interface DashboardOptions {
  readonly title?: string
  /** Of the grid, 1 to 24; 12 unless given. */
  readonly columns?: number
  /** From left to right, in rows as high as the highest of each. */
  readonly widgets: readonly Widget[]
}

/**
 * Define a dashboard. A module of flows exports it, and the engine publishes it like the flows; then it is changed in the
 * module alone.
 * @example
 * export const wall = dashboard('wall', {
 *   title: 'Hall', widgets: [gauge(hall.messages.temp, { max: 40, unit: '°C' }), toggle(hall.messages.light)],
 * })
 */
export function dashboard(name: string, { title, columns = 12, widgets }: DashboardOptions): DashboardObject {
  const badName = dashboardNameSchema.safeParse(name).error?.issues[0]
  if (badName) throw new FlowError(`dashboard "${name}": ${badName.message}`)
  const sizes = widgets.map(({ size, usual }) => ({ w: size.w ?? Math.min(usual.w, columns), h: size.h ?? usual.h }))
  const places = placedInRows(columns, sizes)
  const placed = widgets.map(({ id, shown }, at) => ({
    ...shown,
    id: id ?? `${shown.type}-${at + 1}`,
    ...places[at],
    ...sizes[at],
  }))
  const document = { ...defined({ title }), content: { columns, widgets: placed as WidgetInput[] } }
  const fault = dashboardCreateSchema.safeParse(document).error?.issues[0]
  if (fault) throw new FlowError(`dashboard "${name}": ${placeOf(placed, fault.path)}: ${fault.message}`)
  return { kind: 'dashboard', name, document }
}

function placeOf(widgets: readonly { readonly id: string }[], path: readonly PropertyKey[]): string {
  const [, list, at] = path
  const widget = list === 'widgets' ? widgets[Number(at)] : undefined
  return widget ? `widget "${widget.id}", ${path.slice(3).map(String).join('.')}` : path.map(String).join('.')
}
