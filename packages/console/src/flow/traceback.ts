/** The innermost line of a node's own source in the traceback of its failure; the engine calls that file by the node. */
export function lineOf(traceback: string, node: string): number | null {
  const found = [...traceback.matchAll(/File "([^"]*)", line (\d+)/g)].findLast(([, file]) => file === `${node}.py`)
  return found === undefined ? null : Number(found[2])
}
