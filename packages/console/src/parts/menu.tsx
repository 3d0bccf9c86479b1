/** What opens below its button: closed by Escape, and when somebody goes on elsewhere. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface MenuProps {
  /** The words on the button. */
  readonly title: string
  readonly children: ComponentChildren
}

export function Menu({ title, children }: MenuProps) {
  const box = useRef<HTMLDetailsElement>(null)
  const [isFromLeft, setFromLeft] = useState(false)
  useEffect(() => {
    const look = ({ target }: PointerEvent): void => {
      const { current } = box
      if (!current?.open || !(target instanceof Element)) return
      // a dialog that was opened from it leads back to it
      if (!current.contains(target) && !target.closest('dialog')) current.open = false
    }
    document.addEventListener('pointerdown', look)
    return () => document.removeEventListener('pointerdown', look)
  }, [])
  return (
    <details
      class="menu"
      ref={box}
      onToggle={({ currentTarget: { open, parentElement, offsetLeft } }) => {
        // it opens to the side on which there is more room
        if (open) setFromLeft(offsetLeft < (parentElement?.clientWidth ?? 0) / 2)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !box.current?.open) return
        event.preventDefault()
        box.current.open = false
        box.current.querySelector('summary')?.focus()
      }}
    >
      <summary>{title}</summary>
      <div class={isFromLeft ? 'menu-panel from-left' : 'menu-panel'}>{children}</div>
    </details>
  )
}
