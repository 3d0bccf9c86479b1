/** What can be done by keys, here and everywhere: opened by `?`, or from the palette. */
import { type KeyLine, pageKeys } from './keys.ts'
import { keyList } from './overlays.ts'
import { Dialog } from './parts/dialog.tsx'

interface KeyListProps {
  readonly areas: readonly { readonly title: string; readonly letter: string }[]
}

export function KeyList({ areas }: KeyListProps) {
  const close = (): void => void (keyList.value = false)
  return (
    <Dialog title="Keys" close={close}>
      {pageKeys.value.length === 0 ? null : <Lines title="On this page" of={pageKeys.value} />}
      <Lines
        title="Everywhere"
        of={[
          ['Ctrl+K', 'find anything by its name'],
          ...areas.map(({ title, letter }) => [`g ${letter}`, `go to ${title}`] as const),
          ['?', 'this list'],
          ['Esc', 'close what is open'],
        ]}
      />
      <div class="go">
        <button autofocus onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

const Lines = ({ title, of: lines }: { title: string; of: readonly KeyLine[] }) => (
  <section class="keys">
    <h3>{title}</h3>
    <dl>
      {lines.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </section>
)
