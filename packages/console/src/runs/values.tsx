/** Values by their names, as text whatever they hold. */
import { oneLine } from '../format.ts'

interface ValuesProps {
  readonly title: string
  readonly of: Readonly<Record<string, unknown>>
  /** Those that nobody has chosen. */
  readonly dim?: ReadonlySet<string>
  /** Said where there are none. */
  readonly none: string
}

export const Values = ({ title, of, dim, none }: ValuesProps) => (
  <section>
    <h2>{title}</h2>
    {Object.keys(of).length === 0 ? (
      <p class="hint">{none}</p>
    ) : (
      <table class="values">
        <tbody>
          {Object.entries(of).map(([name, value]) => (
            <tr key={name} class={dim?.has(name) ? 'dim' : ''}>
              <th scope="row">{name}</th>
              <td title={dim?.has(name) ? 'The default' : undefined}>{oneLine(value, 300)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
)
