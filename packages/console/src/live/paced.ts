/**
 * Work that follows events, as to ask for a page's data again, at a pace that an engine and a reader bear. Pages call `ask` from
 * the listener that they give `follow`; without it each event would be a request.
 */
export interface Paced {
  /** The work is done after the pause, once, however often it is asked for meanwhile. */
  readonly ask: () => void
  readonly end: () => void
}

export function paced(pauseMs: number, work: () => void): Paced {
  let timer = 0
  return {
    ask() {
      if (timer !== 0) return
      timer = window.setTimeout(() => {
        timer = 0
        work()
      }, pauseMs)
    },
    end: () => clearTimeout(timer),
  }
}
