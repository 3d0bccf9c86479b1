/** Spellings of hosts that nodes may not reach in production, and a resolver that knows the names among them. */
import type { LookupFunction } from 'node:net'

/** A resolver for names of the tests; what it does not know is asked of the system. */
const names: Record<string, string[]> = {
  'inside.example': ['10.0.0.7'],
  'meta.example': ['169.254.169.254'],
  'mixed.example': ['192.168.1.1', '127.0.0.1'],
  'v6.example': ['fd00::1'],
  'here.example': ['127.0.0.1'],
}
export const lookup: LookupFunction = (host, _options, done) => {
  const known = names[host.replace(/\.$/, '')] ?? (/^localhost\.?$/.test(host) ? ['127.0.0.1', '::1'] : ipOf(host))
  const error = known ? null : Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' })
  done(
    error,
    (known ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
}
/** As the system's resolver reads numbers (`inet_aton`). */
function ipOf(host: string): string[] | undefined {
  const url = URL.parse(`http://${host}/`)
  return url && /^[\d.]+$/.test(url.hostname) ? [url.hostname] : undefined
}

/** Spellings of hosts that are private or hand credentials out. */
export const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.255.255.254',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0x0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'LocalHost',
  '%6cocalhost',
  '%31%32%37.0.0.1',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127.0.0.1',
  '１２７.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',

  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:1:2:3:4:80ff:fffe]',
  '[fe80::5efe:7f00:1]',
  '[2606:4700::5efe:a00:1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[::ffff:10.1.2.3]',
  '10.0.0.1',
  '10.1',
  '0xa000001',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '3232235521',

  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  'inside.example',
  'inside.example.',
  'mixed.example',
  'v6.example',
  'meta.example',
  'here.example',
]
/** Those of metadata services, which nobody may reach anywhere. */
export const always = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '[fd00:ec2::254]',
  '[fd00:0ec2:0:0::254]',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  'meta.example',
  '[fd20:ce::254]',
]
