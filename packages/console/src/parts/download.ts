/** Offers bytes of the page as a file. */
export function save(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // the browser has to have begun with it
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
