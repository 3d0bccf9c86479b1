/** Widgets that publish. What is refused is said, and the control shows again what the message has. */
import type { WidgetOutput } from '@flow-service/client-sdk'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { number } from '../format.ts'
import { typedValue } from '../parts/typed-value.ts'
import { useNewest, type WidgetProps } from './newest.ts'

/** Publishes to the message of a widget; `wanted` is what was sent and is not told of yet. */
function usePublish(
  { widget: { binding }, messages }: Pick<WidgetProps, 'messages'> & { readonly widget: Pick<WidgetOutput, 'binding'> },
  newest: unknown,
) {
  const [wanted, setWanted] = useState<{ readonly value: unknown } | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  // what the engine tells counts, whoever has published it
  useEffect(() => setWanted(null), [JSON.stringify(newest)])
  const message = binding?.message
  const publish = async (value: unknown): Promise<void> => {
    if (message === undefined) return
    setFault(null)
    setWanted({ value })
    try {
      await post(`/messages/${encodeURIComponent(message)}`, { value })
    } catch (error) {
      setWanted(null)
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  const known = message === undefined ? undefined : messages?.get(message)
  return { value: wanted === null ? newest : wanted.value, fault, publish, isReady: message !== undefined, known }
}

const Control = ({
  fault,
  isReady,
  children,
}: {
  fault: string | null
  isReady: boolean
  children: ComponentChildren
}) => (
  <div class="control">
    {children}
    {isReady ? null : <p class="hint">Bind it to a message.</p>}
    {fault === null ? null : (
      <p class="fault" role="alert">
        {fault}
      </p>
    )}
  </div>
)

export function ButtonControl(props: WidgetProps<'button'>) {
  const { publish, fault, isReady } = usePublish(props, undefined)
  const { label, value } = props.widget.options
  return (
    <Control fault={fault} isReady={isReady}>
      <button class="primary" disabled={!isReady} onClick={() => void publish(value)}>
        {label ?? (props.widget.title || 'Send')}
      </button>
    </Control>
  )
}

export function SwitchControl(props: WidgetProps<'switch'>) {
  const { value, publish, fault, isReady } = usePublish(props, useNewest(props))
  const { on, off } = props.widget.options
  const isOn = JSON.stringify(value) === JSON.stringify(on)
  return (
    <Control fault={fault} isReady={isReady}>
      <button
        class="toggle"
        role="switch"
        aria-checked={isOn}
        aria-label={props.widget.title || 'Switch'}
        disabled={!isReady}
        onClick={() => void publish(isOn ? off : on)}
      >
        <span class="knob" />
      </button>
      <span>{isOn ? 'on' : 'off'}</span>
    </Control>
  )
}

export function SliderControl(props: WidgetProps<'slider'>) {
  const { value, publish, fault, isReady } = usePublish(props, useNewest(props))
  const { min, max, step } = props.widget.options
  const at = typeof value === 'number' ? value : min
  return (
    <Control fault={fault} isReady={isReady}>
      <input
        type="range"
        aria-label={props.widget.title || 'Slider'}
        min={min}
        max={max}
        step={step}
        value={at}
        disabled={!isReady}
        onChange={({ currentTarget }) => void publish(Number(currentTarget.value))}
      />
      <b class="num">{number(at)}</b>
    </Control>
  )
}

export function InputControl(props: WidgetProps<'input'>) {
  const { publish, fault, isReady, known } = usePublish(props, useNewest(props))
  const [text, setText] = useState('')
  return (
    <Control fault={fault} isReady={isReady}>
      <form
        class="choice"
        onSubmit={(event) => {
          event.preventDefault()
          void publish(typedValue(text, known?.dtype))
        }}
      >
        <input
          aria-label={props.widget.title || 'Value'}
          placeholder={props.widget.options.placeholder ?? (typeof known?.dtype === 'string' ? known.dtype : '')}
          value={text}
          disabled={!isReady}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button disabled={!isReady || text === ''}>Send</button>
      </form>
    </Control>
  )
}
