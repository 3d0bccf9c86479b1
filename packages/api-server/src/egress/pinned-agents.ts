/**
 * Connections for requests with a pin: each pin has its own, which no other request uses
 * (egress.E9).
 * @module
 */
import type { CertificatePin } from '@flow-service/connector-sdk'
import type { Agent } from 'undici'

/** Pins whose connections are kept; a pin that is new for each request must not fill the memory. */
const MAX_PINS = 256

/** Agents by pin, those that were asked for last. */
export class PinnedAgents {
  readonly #open: (pin: CertificatePin) => Promise<Agent>
  /** The one that was asked for longest ago first. */
  readonly #agents = new Map<CertificatePin, Promise<Agent>>()

  constructor(open: (pin: CertificatePin) => Promise<Agent>) {
    this.#open = open
  }

  /** The agent of a pin. The one that is too many ends when its requests have. */
  of(pin: CertificatePin): Promise<Agent> {
    const agent = this.#agents.get(pin) ?? this.#open(pin)
    this.#agents.delete(pin)
    this.#agents.set(pin, agent)
    const [[oldest, leaving] = []] = this.#agents
    if (this.#agents.size > MAX_PINS && oldest !== undefined) {
      this.#agents.delete(oldest)
      void leaving?.then((left) => left.close())
    }
    return agent
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(async (agent) => (await agent).destroy()))
  }
}
