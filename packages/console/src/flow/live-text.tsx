/** The newest value of a message as a text that follows it without anything being rendered: the signal is the text node. */
import { useComputed, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'

import { oneLine } from '../format.ts'
import type { LiveValue } from '../live/values.ts'
import { useCanvas } from './canvas-context.ts'
import { QUIET } from './live.ts'

/** A flash says "just now"; it is over before the next one. */
const [FLASH_MS, EVERY_MS] = [300, 400]
const reduced = matchMedia('(prefers-reduced-motion: reduce)')

export function LiveText({ message, most = 18 }: { message: string; most?: number }) {
  const { now, isFar } = useCanvas()
  const value = now.values.of(message)
  // nobody can read it from far away: no text, no layout, no paint
  const text = useComputed(() => (isFar.value ? '' : shown(value.value, most)))
  const box = useRef<HTMLSpanElement>(null)
  const flashed = useRef(-Infinity)
  useSignalEffect(() => {
    if (value.value?.ts == null || isFar.value || reduced.matches || now.rate.peek() > QUIET) return
    const at = performance.now()
    if (at - flashed.current < EVERY_MS) return
    flashed.current = at
    box.current?.animate([{ opacity: 0.35 }, { opacity: 1 }], FLASH_MS)
  })
  return (
    <span class="live" ref={box}>
      {text}
    </span>
  )
}

const shown = (value: LiveValue | null, most: number): string =>
  value === null || (value.value === null && value.ts === null) ? '' : oneLine(value.value, most)
