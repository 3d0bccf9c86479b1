/** Gives the browser a file to save: bytes that the page holds, or those at an address of the engine. */
export function save(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes)
  saveFrom(name, address)
  // the browser has to have begun with it
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** What is at the address: of this service, for no other one is followed. */
export function saveFrom(name: string, address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}

/** A value as a file of JSON. */
export const saveJson = (name: string, value: unknown): void =>
  save(`${name}.json`, new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' }))
