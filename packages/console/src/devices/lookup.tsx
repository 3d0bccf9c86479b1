/** Finds a waiting device by the code that it shows. */
import type { PairingPreview } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { get } from '../api/call.ts'
import { sayFault } from '../parts/toast.tsx'
import type { Adoptable } from './adopt.tsx'

export function Lookup({ found }: { found: (device: Adoptable) => void }) {
  const [code, setCode] = useState('')
  const [isBusy, setBusy] = useState(false)
  const look = async (): Promise<void> => {
    const wanted = code.replaceAll(/[\s-]/g, '').toUpperCase()
    setBusy(true)
    try {
      const preview = await get<PairingPreview>(`/devices/pair/${encodeURIComponent(wanted)}/device`)
      found({ ...preview, by: { code: wanted } })
      setCode('')
    } catch (problem) {
      sayFault(problem)
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
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
      </label>
      <button disabled={isBusy || code.trim() === ''}>Look up</button>
    </form>
  )
}
