/** What is dragged from the list of nodes onto the canvas: the key of an entry. */
export const DRAGGED = 'application/x-flow-service-node'
