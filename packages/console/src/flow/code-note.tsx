/** Said of a flow from TypeScript: what it is, and the one place where it is changed. */
import type { Flow } from '@flow-service/client-sdk'

import { Icon } from '../parts/icon.tsx'

export const CodeNote = ({ of: { origin, code } }: { of: Flow }) =>
  origin === 'code' ? (
    <p class="code-note">
      <Icon name="copy" size={16} />
      <span>
        This flow is read only here: it is defined in <code>{code?.module ?? 'code of the engine'}</code>
        {code?.commit ? (
          <>
            {' '}
            of the commit <code title={code.commit}>{code.commit.slice(0, 12)}</code>
          </>
        ) : null}
        . Change it there and start the engine again; <code>service dev</code> takes changes at once.
      </span>
    </p>
  ) : null
