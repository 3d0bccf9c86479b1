/** What a key or an agent may do: scopes, each with what it covers. */
import { meaningOfScope, type Scope, scopes } from '@flow-service/protocol/words'

interface ScopesProps {
  readonly chosen: readonly Scope[]
  readonly change: (chosen: readonly Scope[]) => void
  readonly fault: string | undefined
}

export const Scopes = ({ chosen, change, fault }: ScopesProps) => (
  <fieldset class="scopes">
    <legend>May</legend>
    {scopes.map((scope) => (
      <label key={scope}>
        <input
          type="checkbox"
          checked={chosen.includes(scope)}
          onChange={({ currentTarget }) =>
            change(currentTarget.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
          }
        />
        <span>
          <code>{scope}</code> <small>{meaningOfScope(scope)}</small>
        </span>
      </label>
    ))}
    {fault === undefined ? null : <p class="fault">{fault}</p>}
  </fieldset>
)

/** How long it is good for, in days. */
export const lifetimes = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
] as const
