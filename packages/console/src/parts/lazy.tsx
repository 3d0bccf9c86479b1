/** Pages, and large parts of them, that are loaded when somebody goes there: the first page need not carry them. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { Empty, Loading } from './states.tsx'

/** A page that is loaded when somebody goes there, and then at once. */
export function lazy<Props extends object = object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return function Lazy(props: Props) {
    const [Page, setPage] = useState<ComponentType<Props> | null>(() => loaded)
    const [isLost, setLost] = useState(false)
    useEffect(() => {
      load().then(
        (page) => {
          loaded = page
          setPage(() => page)
        },
        () => setLost(true),
      )
    }, [])
    if (Page) return <Page {...props} />
    return (
      <div class="page">
        {isLost ? (
          <Empty title="This page could not be loaded">
            The engine is away, or another version of it runs now. <a href="">Load the console anew</a>
          </Empty>
        ) : (
          <Loading />
        )}
      </div>
    )
  }
}
