/**
 * The names of curves under the document of the run that shows them: a taken over curve was made under another one.
 * @module
 */
import { type FlowDocument, messagePart } from '@flow-service/protocol'

import type { DocumentKey } from './curve-store.ts'
import type { Curve } from './points.ts'

/** Documents that are kept at a time: exports go through runs of many. */
const KEPT = 20

/** The message of a curve under a document; without a document, the one under which it was emitted. */
export function shownMessage(document: FlowDocument | null, curve: Curve): string {
  const ports = document?.nodes.find(({ id }) => id === curve.node)?.ports
  const port = ports?.find((item) => item.direction === 'output' && item.port === curve.port)
  return port ? messagePart(port.name) : curve.message
}

/** Finds names, and reads each document once as long as it is among the last ones asked for. */
export class ShownNames {
  readonly #read: (key: DocumentKey) => Promise<FlowDocument | null>
  readonly #documents = new Map<string, FlowDocument | null>()

  constructor(read: (key: DocumentKey) => Promise<FlowDocument | null>) {
    this.#read = read
  }

  async messageOf(key: DocumentKey, curve: Curve): Promise<string> {
    if (key.digest === null) return curve.message
    const place = `${key.flow_id} ${key.digest}`
    let document = this.#documents.get(place)
    if (document === undefined) {
      document = await this.#read(key)
      const [oldest] = this.#documents.keys()
      if (this.#documents.size >= KEPT && oldest !== undefined) this.#documents.delete(oldest)
      this.#documents.set(place, document)
    }
    return shownMessage(document, curve)
  }
}
