/**
 * The way out for nodes as layers; the host of the runtime needs it, and a service that listens protects its own address.
 * @module
 */
import { config } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { AddressRules } from './address-rules.ts'
import { createDialer, type Dial } from './dialer.ts'
import { createOutgoingFetch, type OutgoingFetch } from './outgoing-fetch.ts'
import { loadTrust, type Trust } from './trust.ts'

/** Where nodes may connect to. */
export const addressRules = noun<AddressRules>()('addressRules')

/** Whose certificates are believed. */
const trust = noun<Trust>()('trust')

/** Connections of nodes. */
export const dial = noun<Dial>()('dial')

/** Requests of nodes. */
export const outgoing = noun<OutgoingFetch>()('outgoing')

/** Requests of the engine itself to addresses that its operator has written down. */
export const operatorOutgoing = noun<OutgoingFetch>()('operatorOutgoing')

/** The rules, then connections and requests that obey them. */
export const egressLayer = inOrder(
  makes(
    addressRules,
    { config },
    ({ config }) => new AddressRules({ isProduction: config.environment === 'production', allow: config.egressAllow }),
  ),
  makes(trust, { config }, ({ config }) => loadTrust(config.caFile)),
  makes(dial, { rules: addressRules, trust }, createDialer),
  makes(
    outgoing,
    { dial },
    ({ dial }) => createOutgoingFetch(dial),
    (opened) => opened.close(),
  ),
  makes(
    operatorOutgoing,
    { rules: addressRules, trust },
    ({ rules, trust }) => createOutgoingFetch(createDialer({ rules: rules.ofOperator, trust, who: 'provisioners' })),
    (opened) => opened.close(),
  ),
)
