/** A row of tabs or areas that is longer than a narrow page is wide: the one that is shown is brought into it. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** For the row itself; `shown` names the part that is shown now. */
export function useShownPart<T extends HTMLElement>(shown: string | undefined): RefObject<T | null> {
  const row = useRef<T>(null)
  useEffect(() => {
    const part = row.current?.querySelector('[aria-selected="true"], [aria-current="page"]')
    if (!row.current || !part) return
    const [within, of] = [row.current.getBoundingClientRect(), part.getBoundingClientRect()]
    if (of.right > within.right) row.current.scrollLeft += of.right - within.right
    else if (of.left < within.left) row.current.scrollLeft += of.left - within.left
  }, [shown])
  return row
}
