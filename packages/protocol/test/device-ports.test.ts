import { devicePorts } from '@flow-service/protocol'
import { expect, test } from 'vitest'

const port = { direction: 'in', dtype: 'any', on_demand: false, title: null, options: {} }

test('ports are those of the list "io", or else "ports" [R132, R553]', () => {
  expect(devicePorts({ io: [{ name: 'a', direction: 'in' }], ports: [{ name: 'b', direction: 'in' }] })).toEqual([
    { ...port, name: 'a' },
  ])
  expect(devicePorts({ io: 'x', ports: [{ name: 'b', direction: 'out' }] })).toEqual([
    { ...port, name: 'b', direction: 'out' },
  ])
})

test('what is no port is passed over, and of several of one name the last one counts [R553]', () => {
  const io = [
    null,
    7,
    'a',
    [],
    {},
    { name: 'a' },
    { name: 'a', direction: 'both' },
    { name: 7, direction: 'in' },
    { name: 'twice', direction: 'in' },
    { name: 'once', direction: 'in' },
    { name: 'twice', direction: 'out', dtype: 'int' },
  ]
  expect(devicePorts({ io })).toEqual([
    { ...port, name: 'twice', direction: 'out', dtype: 'int' },
    { ...port, name: 'once' },
  ])
})

test('what a port says beside its name is read if it can be, and what is not known is kept', () => {
  const io = [
    { name: 'cam', direction: 'in', dtype: 'image', on_demand: true, title: 'Camera', width: 640, options: { fps: 5 } },
    { name: 'odd', direction: 'in', dtype: 'video', on_demand: 'yes', title: 7, options: 'none' },
    { name: 'list', direction: 'in', dtype: 'list' },
  ]
  expect(devicePorts({ io })).toEqual([
    {
      name: 'cam',
      direction: 'in',
      dtype: 'image',
      on_demand: true,
      title: 'Camera',
      options: { width: 640, fps: 5 },
    },
    { ...port, name: 'odd' },
    { ...port, name: 'list', dtype: 'array' },
  ])
})

test.each([null, undefined, 'io', 7, [], {}, { io: null }, { io: { name: 'a', direction: 'in' } }])(
  'a report %j names none',
  (report) => expect(devicePorts(report)).toEqual([]),
)

test('a name of the prototype is a name like others', () => {
  const report: unknown = JSON.parse('{"io":[{"name":"__proto__","direction":"in","__proto__":{"dtype":"int"}}]}')
  const [found] = devicePorts(report)
  expect(found).toMatchObject({ name: '__proto__', dtype: 'any' })
  expect(({} as Record<string, unknown>).dtype).toBeUndefined()
})
