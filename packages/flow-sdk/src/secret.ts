/**
 * References to stored secrets (wire decision G48).
 * @module
 */

/** Stands in a setting for the value of a stored secret. */
export interface SecretRef {
  readonly $secret: string
}

/**
 * Refer to a stored secret by its name; the engine puts the value in when the node is built or called.
 * @example use(http.webhook({ url: 'alerts', secret: secret('alerts_hook'), out: { alert: t.object } }))
 */
export const secret = (name: string): SecretRef => ({ $secret: name })

/** Settings as a flow gives them: a secret may stand in place of any string. */
export type WithSecrets<T> = T extends string
  ? T | SecretRef
  : T extends object
    ? { [K in keyof T]: WithSecrets<T[K]> }
    : T
