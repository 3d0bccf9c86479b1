/**
 * The link inside one process: frames are handed over as objects, at once and in order.
 * @module
 */
import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'

import type { ArtifactAccess, EngineTransport, WorkerTransport } from './transport.ts'

/** Two ends of a link. Frames sent before the other end listens wait for it; after `close` none arrives. */
export function memoryTransport(artifacts: ArtifactAccess): { worker: WorkerTransport; engine: EngineTransport } {
  const toEngine = new Lane<WorkerFrame>()
  const toWorker = new Lane<EngineFrame>()
  const closers: (() => void)[] = []
  let open = true
  const onClose = (listener: () => void): void => {
    closers.push(listener)
  }
  return {
    worker: {
      send: (frame) => (open ? toEngine.pass(frame) : undefined),
      onFrame: (listener) => toWorker.listen(listener),
      onClose,
      artifacts,
    },
    engine: {
      get isOpen() {
        return open
      },
      send(frame) {
        if (open) void toWorker.pass(frame)
      },
      onFrame: (listener) => toEngine.listen(listener),
      onClose,
      close() {
        if (!open) return
        open = false
        for (const listener of closers) listener()
      },
    },
  }
}

class Lane<F> {
  #listener: ((frame: F) => void | Promise<void>) | null = null
  #early: F[] = []

  pass(frame: F): void | Promise<void> {
    if (this.#listener) return this.#listener(frame)
    this.#early.push(frame)
  }

  listen(listener: (frame: F) => void | Promise<void>): void {
    this.#listener = listener
    for (const frame of this.#early.splice(0)) void listener(frame)
  }
}
