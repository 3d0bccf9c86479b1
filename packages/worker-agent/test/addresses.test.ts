import { expect, test } from 'vitest'

import { InvalidOption } from '../src/index.ts'
import { addressesOf } from '../src/remote/addresses.ts'

test.each([
  ['ws://127.0.0.1:8000/api/v1/workers/attach', 'http://127.0.0.1:8000/api/v1/artifacts'],
  ['ws://localhost/api/v1/workers/attach', 'http://localhost/api/v1/artifacts'],
  ['ws://[::1]:1/workers/attach', 'http://[::1]:1/artifacts'],
  ['wss://flows.example.com/x/api/v1/workers/attach', 'https://flows.example.com/x/api/v1/artifacts'],
])('artifacts of %s are at %s [R592]', (url, artifacts) => {
  const found = addressesOf({ url })
  expect([found.attach.href, found.artifacts]).toEqual([url, artifacts])
})

test('artifacts may be elsewhere; then the path to attach to is free [R592]', () => {
  const artifactUrl = 'https://bytes.example.com/artifacts/'
  expect(addressesOf({ url: 'wss://flows.example.com/attach', artifactUrl }).artifacts).toBe(
    'https://bytes.example.com/artifacts',
  )
  expect(() => addressesOf({ url: 'wss://flows.example.com/attach' })).toThrow('give --artifact-url too')
})

const attach = '/api/v1/workers/attach'

test.each([
  `ws://flows.example.com${attach}`,
  `ws://10.0.0.1${attach}`,
  `ws://0.0.0.0${attach}`,
  `ws://127.0.0.1.example.com${attach}`,
  `ws://localhost.example.com${attach}`,
  `ws://[::ffff:a00:1]${attach}`,
])('%s is refused without --insecure and taken with it [R597, R598]', (url) => {
  expect(() => addressesOf({ url })).toThrow(/--url .* in the clear to another machine.*--insecure/)
  expect(addressesOf({ url, insecure: true }).attach.href).toBe(url)
})

test('artifacts in the clear are refused beside a safe socket too [R598]', () => {
  const options = { url: `wss://flows.example.com${attach}`, artifactUrl: 'http://flows.example.com/artifacts' }
  expect(() => addressesOf(options)).toThrow(/--artifact-url .* in the clear/)
  expect(addressesOf({ ...options, insecure: true }).artifacts).toBe(options.artifactUrl)
})

test.each([
  ['flows.example.com', '--url begins with wss:// or ws://'],
  [`https://flows.example.com${attach}`, '--url begins with wss:// or ws://'],
  [`wss://ann:secret@flows.example.com${attach}`, '--url holds no user or password'],
  [`wss://flows.example.com${attach}?token=x`, '--url has nothing after its path'],
])('%s is no address of an engine [R586]', (url, text) => {
  expect(() => addressesOf({ url })).toThrow(InvalidOption)
  expect(() => addressesOf({ url })).toThrow(text)
})
