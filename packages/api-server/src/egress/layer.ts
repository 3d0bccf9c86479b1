/**
 * The way out for nodes as layers; the host of the runtime needs it, and a service that listens protects its own address.
 * @module
 */
import { config } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { AddressRules } from './address-rules.ts'
import { createDialer, type Dial } from './dialer.ts'
import { createOutgoingFetch, type OutgoingFetch } from './outgoing-fetch.ts'
import { loadTrust } from './trust.ts'

/** Where nodes may connect to. */
export const addressRules = noun<AddressRules>()('addressRules')

/** Connections of nodes. */
export const dial = noun<Dial>()('dial')

/** Requests of nodes. */
export const outgoing = noun<OutgoingFetch>()('outgoing')

/** The rules, then connections and requests that obey them. */
export const egressLayer = inOrder(
  makes(
    addressRules,
    { config },
    ({ config }) => new AddressRules({ isProduction: config.environment === 'production', allow: config.egressAllow }),
  ),
  makes(dial, { config, rules: addressRules }, async ({ config, rules }) =>
    createDialer({ rules, trust: await loadTrust(config.caFile) }),
  ),
  makes(
    outgoing,
    { dial },
    ({ dial }) => createOutgoingFetch(dial),
    (opened) => opened.close(),
  ),
)
