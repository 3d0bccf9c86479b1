/**
 * Values as text for programs and files outside: text as it is, everything else as JSON (wire decisions G75, R219).
 * @module
 */

/** The text of a JSON value. */
export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
