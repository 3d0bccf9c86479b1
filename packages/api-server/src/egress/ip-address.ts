/**
 * IP addresses as bytes: IPv6 addresses may carry an IPv4 address, and what is true of that is true of them.
 * @module
 */
import { isIP } from 'node:net'

/** The address in all forms in which a packet may reach it: itself, and the IPv4 address that it carries. */
export function formsOf(address: string): readonly string[] {
  const [plain = ''] = address.split('%', 1)
  if (isIP(plain) !== 6) return [plain]
  const carried = carriedBy(groupsOf(plain))
  return carried === null ? [plain] : [plain, carried]
}

/** Eight groups of 16 bits (RFC 4291, section 2.2). */
function groupsOf(address: string): readonly number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const text = dotted === null ? address : `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`
  const [head = '', tail] = text.split('::')
  const read = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)))
  if (tail === undefined) return read(head)
  const [before, after] = [read(head), read(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const hex = (high = '', low = ''): string => (Number(high) * 256 + Number(low)).toString(16)
const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

function carriedBy(groups: readonly number[]): string | null {
  const [a, b, c, d, e, f, g, h] = groups
  const isZero = (...some: (number | undefined)[]): boolean => some.every((group) => group === 0)
  // mapped, compatible and translated (RFC 4291, 2.5.5; RFC 2765)
  if (isZero(a, b, c, d) && ((e === 0 && (f === 0 || f === 0xffff)) || (e === 0xffff && f === 0))) return dotted(g, h)
  // NAT64 (RFC 6052, 2.1; RFC 8215)
  if (a === 0x64 && b === 0xff9b) return dotted(g, h)
  // 6to4 (RFC 3056)
  if (a === 0x2002) return dotted(b, c)
  // Teredo (RFC 4380, 4)
  if (a === 0x2001 && b === 0) return dotted((g ?? 0) ^ 0xffff, (h ?? 0) ^ 0xffff)
  // ISATAP (RFC 5214, 6.1)
  if ((e === 0 || e === 0x200) && f === 0x5efe) return dotted(g, h)
  return null
}
