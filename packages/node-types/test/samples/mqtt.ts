import { t } from '@flow-service/flow-sdk'
import { mqtt } from '@flow-service/node-types/flow'

import type { Sample, Samples } from '../samples.ts'

const usual: Sample = {
  setup: { settings: { broker_host: '127.0.0.1', topic: 't', qos: 1 }, inputs: { x: 'any' } },
  bad: [
    [{ qos: 3 }, 'setting "qos" is 3; give it 0, 1 or 2'],
    [{ broker_port: 0 }, 'setting "broker_port" is 0; give it a number of at least 1'],
    [{ timeout: 0 }, 'setting "timeout" is 0; give it a number of more than 0'],
    [{ keepalive: -1 }, 'setting "keepalive" is -1; give it'],
    [{ send_queue_size: 0 }, 'setting "send_queue_size" is 0; give it'],
    [{ topic: '' }, 'setting "topic" is ""; give it at least 1 character'],
    [{ topic: { a: 5 } }, 'setting "topic" is {"a":5}; give it an object whose "a" is a text'],
    [{ password: 77_123 }, 'setting "password" is not valid; give it'],
  ],
  misfits: [
    [{}, 'unsupported_ports'],
    [{ inputs: { a: 'any' }, outputs: { b: 'any' } }, 'unsupported_ports'],
    [{ settings: { topic: 'a/#' }, inputs: { a: 'any' } }, 'bad_setting'],
  ],
}

export const samples: Samples = {
  roles: [usual, { ...usual, setup: { settings: { topic: 't' }, outputs: { y: 'any' } } }],
  credentials: ['password'],
  typed: { by: mqtt, place: (x, use) => use(mqtt.publish({ topic: 't', in: { x: t.float } }), { x }) },
}
