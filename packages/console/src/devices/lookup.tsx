/** Finds a waiting device by the code that it shows. */
import type { PairingPreview } from '@flow-service/client-sdk'
import { useId, useState } from 'preact/hooks'

import { get } from '../api/call.ts'
import type { Adoptable } from './adopt.tsx'

export function Lookup({ found }: { found: (device: Adoptable) => void }) {
  const [code, setCode] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const told = useId()
  const look = async (): Promise<void> => {
    const wanted = code.replaceAll(/[\s-]/g, '').toUpperCase()
    setBusy(true)
    setFault(null)
    try {
      const preview = await get<PairingPreview>(`/devices/pair/${encodeURIComponent(wanted)}/device`)
      found({ ...preview, by: { code: wanted } })
      setCode('')
    } catch (problem) {
      setFault(problem instanceof Error ? problem.message : String(problem))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="choice lookup"
      onSubmit={(event) => {
        event.preventDefault()
        void look()
      }}
    >
      <label class="choice">
        Pairing code{' '}
        <input
          value={code}
          placeholder="K7M4QX2P"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : told}
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
      </label>
      <button disabled={isBusy || code.trim() === ''}>Look up</button>
      {fault === null ? null : (
        <p class="fault" id={told} role="alert">
          {fault}
        </p>
      )}
    </form>
  )
}
