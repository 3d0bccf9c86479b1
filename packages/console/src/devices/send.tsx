/** Gives a device a value by hand: published as the message that the port follows, so that flows that read it have it too. */
import type { DeviceBinding } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { say } from '../parts/toast.tsx'
import { typedValue } from '../parts/typed-value.ts'

interface SendProps {
  readonly to: DeviceBinding
  readonly close: () => void
}

export function Send({ to: { port, message, dtype }, close }: SendProps) {
  const [text, setText] = useState('')
  const submit = async (): Promise<void> => {
    await post(`/messages/${encodeURIComponent(message)}`, { value: typedValue(text, dtype) })
    say(`${message} is published`)
    close()
  }
  return (
    <Dialog title={`Send a value to ${port}`} close={close}>
      <p class="hint">
        Published as <code>{message}</code>: everything that reads it has the value too.
      </p>
      <Form
        fields={['/value']}
        verb="Send"
        submit={submit}
        isReady={dtype === 'str' || text.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at }) => (
          <TextField
            label="Value"
            about={typeof dtype === 'string' ? dtype : 'JSON'}
            value={text}
            change={setText}
            fault={at['/value']}
          />
        )}
      </Form>
    </Dialog>
  )
}
