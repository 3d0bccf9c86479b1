/** The browser's own dialog: focus stays inside, Escape closes it, and whoever opened it has the focus again. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { sayFault } from './toast.tsx'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly isWide?: boolean
}

export function Dialog({ title, close, children, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const name = useId()
  // before the next key is heard
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog class={isWide ? 'dialog wide' : 'dialog'} ref={dialog} onClose={close} aria-labelledby={name}>
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  /** The word on the button: what will be done. */
  readonly verb: string
  /** Rejects with why it was not done, which is said. */
  readonly act: () => Promise<unknown>
  readonly close: () => void
  readonly children: ComponentChildren
}

/** Asks before what cannot be undone. */
export function Confirm({ title, verb, act, close, children }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const go = async (): Promise<void> => {
    setBusy(true)
    try {
      await act()
      close()
    } catch (problem) {
      sayFault(problem)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} close={close}>
      {children}
      <div class="go">
        <button autofocus onClick={close}>
          Keep
        </button>
        <button class="danger" disabled={isBusy} onClick={() => void go()}>
          {verb}
        </button>
      </div>
    </Dialog>
  )
}
