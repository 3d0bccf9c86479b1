/**
 * The number of the contract between an engine and node types of other packages.
 * @module
 */

/**
 * The contract that this package declares: what a node type may rely on, and what it owes. Additions leave the number as
 * it is; it moves when a node type that was written against it would no longer compile or work.
 */
export const CONTRACT = 1
