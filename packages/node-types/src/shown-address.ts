/**
 * Addresses in what is told to people, by issues of a flow and by the health of its nodes: never with a password.
 * @module
 */

/** What stands before the last `@` of an address, but for its scheme. */
const userPart = /^([a-z][a-z\d+.-]*:\/\/)?.*@/is

/** An address without the user and the password in it. */
export const shownAddress = (address: string): string => address.replace(userPart, '$1***@')

/** A text of somebody else, such as a library, without a password that it may repeat. */
export const withoutPassword = (text: string, password: string | null): string =>
  password === null || password === '' ? text : text.replaceAll(password, '***')
