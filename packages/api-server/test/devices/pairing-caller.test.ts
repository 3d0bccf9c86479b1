import { expect, test } from 'vitest'

import { pairingCallers } from '../../src/devices/pairing/pairing-caller.ts'

const direct = pairingCallers({ isPortal: () => false, trustProxy: 0 })
const proxied = pairingCallers({ isPortal: () => false, trustProxy: 1 })
const portal = pairingCallers({ isPortal: ({ headers }) => headers['x-service-portal'] === 'yes', trustProxy: 0 })
const from = (address: string) => direct({ address, headers: {} })

test.each([
  ['127.0.0.1', 'lan', 'loopback'],
  ['127.8.9.1', 'lan', 'loopback'],
  ['::1', 'lan', 'loopback'],
  ['::ffff:127.0.0.1', 'lan', 'loopback'],
  ['10.1.2.3', 'lan', '10.1.2'],
  ['::ffff:10.1.2.3', 'lan', '10.1.2'],
  ['172.16.0.1', 'lan', '172.16.0'],
  ['172.32.0.1', 'outside', '172.32.0'],
  ['192.168.178.20', 'lan', '192.168.178'],
  ['169.254.7.7', 'lan', '169.254.7'],
  ['fd00:1:2:3::9', 'lan', 'fd00:1:2:3'],
  ['fe80::1%eth0', 'lan', 'fe80:0:0:0'],
  ['8.8.8.8', 'outside', '8.8.8'],
  ['2001:db8:1:2:3:4:5:6', 'outside', '2001:db8:1:2'],
  ['2001:db8::7', 'outside', '2001:db8:0:0'],
  ['', 'outside', null],
  ['nonsense', 'outside', null],
])('%s is %s, in the network %s [R684, T40]', (address, side, network) => {
  expect(from(address)).toMatchObject({ side, network, portal: false })
})

test('a limit counts an IPv4 address, and what one household has of IPv6 [R683, T38]', () => {
  expect(from('::ffff:1.2.3.4').address).toBe(from('1.2.3.4').address)
  expect(from('1.2.3.5').address).not.toBe(from('1.2.3.4').address)
  expect(from('2001:db8:1:2::1').address).toBe(from('2001:db8:1:2:3:4:5:6').address)
  expect(from('2001:db8:1:3::1').address).not.toBe(from('2001:db8:1:2::1').address)
})

test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host'])(
  'behind a proxy that is not declared (%s), nobody is of any network [T40]',
  (header) => {
    const request = { address: '127.0.0.1', headers: { [header]: '192.168.1.7' } }
    expect(direct(request)).toMatchObject({ address: '127.0.0.1', side: 'lan', network: null })
    expect(proxied(request)).toMatchObject({ network: 'loopback' })
  },
)

test('who comes through the portal is outside, in no network, and counted by what the portal has seen [T38, T40, T59]', () => {
  const request = {
    address: '127.0.0.1',
    headers: { 'x-service-portal': 'yes', 'x-forwarded-for': '192.168.1.7, 1.2.3.4' },
  }
  expect(portal(request)).toEqual({ address: '1.2.3.4', portal: true, side: 'outside', network: null })
  expect(portal({ ...request, headers: { ...request.headers, 'x-service-portal': 'no' } })).toMatchObject({
    address: '127.0.0.1',
    portal: false,
    side: 'lan',
  })
})
