/** What a widget shows, by its type. */
import type { ComponentChildren } from 'preact'

import { ChartWidget } from './chart-widget.tsx'
import { ButtonControl, InputControl, SliderControl, SwitchControl } from './controls.tsx'
import { Markdown } from './markdown.tsx'
import type { WidgetProps } from './newest.ts'
import { TableWidget } from './table-widget.tsx'
import { GaugeWidget, ImageWidget, ValueWidget } from './widgets.tsx'

export function Shown(props: WidgetProps): ComponentChildren {
  const { widget, now, messages } = props
  switch (widget.type) {
    case 'value':
      return <ValueWidget widget={widget} now={now} messages={messages} />
    case 'gauge':
      return <GaugeWidget widget={widget} now={now} messages={messages} />
    case 'chart':
      return <ChartWidget widget={widget} now={now} messages={messages} />
    case 'table':
      return <TableWidget widget={widget} now={now} messages={messages} />
    case 'image':
      return <ImageWidget widget={widget} now={now} messages={messages} />
    case 'text':
      return <Markdown text={widget.options.markdown} />
    case 'button':
      return <ButtonControl widget={widget} now={now} messages={messages} />
    case 'switch':
      return <SwitchControl widget={widget} now={now} messages={messages} />
    case 'slider':
      return <SliderControl widget={widget} now={now} messages={messages} />
    case 'input':
      return <InputControl widget={widget} now={now} messages={messages} />
  }
}
