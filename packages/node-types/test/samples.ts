/** For each type: nodes that have been busy, and settings and ports that they do not take. */
import type { Setup } from './test-kit.ts'

type Settings = NonNullable<Setup['settings']>

/** A node of one type, in one of its roles. */
export interface Sample {
  readonly setup: Setup
  /** Settings, and what is said about them: the setting, its value, what to do. */
  readonly bad: readonly (readonly [Settings, string])[]
  /** Ports or settings that the type's own check refuses, by the code of the finding. */
  readonly misfits: readonly (readonly [Setup, string])[]
  /** Answer of a peer, or of code, that is off the dtype of the outputs. */
  readonly offDtype?: unknown
  /** Answer that fits. */
  readonly answer?: unknown
}

const http: Sample = {
  setup: { settings: { url: 'alerts' }, outputs: { alert: 'float' } },
  bad: [
    [{}, 'setting "url" is missing; give it a text'],
    [{ url: 'x', method: 'PATCH' }, 'setting "method" is "PATCH"; give it "GET" or "POST"'],
    [{ url: 'x', timeout: '10' }, 'setting "timeout" is "10"; give it a number'],
    [
      { url: 'x', headers: { a: 5 } },
      'setting "headers.a" is 5; give it a text or a reference such as {"$secret": "name"}',
    ],
    [
      { url: 'x', secret: 77_123 },
      'setting "secret" is not valid; give it a text or a reference such as {"$secret": "name"}',
    ],
  ],
  misfits: [
    [{ settings: { url: 'a b' }, outputs: { x: 'any' } }, 'bad_setting'],
    [{ settings: { url: 'x' } }, 'unsupported_ports'],
    [{ settings: { url: 'x' }, inputs: { x: 'any' } }, 'bad_setting'],
  ],
  answer: { alert: 1 },
  offDtype: { alert: 'off' },
}
const mqtt: Sample = {
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
const websocket: Sample = {
  setup: { settings: { url: 'ws://127.0.0.1:9/' }, inputs: { x: 'any' }, outputs: { y: 'any' } },
  bad: [
    [{}, 'setting "url" is missing'],
    [{ url: '' }, 'setting "url" is ""; give it at least 1 character'],
    [{ url: '/x', on_connect: 'hello' }, 'setting "on_connect" is "hello"; give it a list'],
    [{ url: '/x', timeout: 0 }, 'setting "timeout" is 0; give it a number of more than 0'],
    [{ url: '/x', json_key: '' }, 'setting "json_key" is ""; give it'],
  ],
  misfits: [
    [{ settings: { url: '/x' } }, 'unsupported_ports'],
    [{ settings: { url: 'http://h/' }, outputs: { y: 'any' } }, 'bad_setting'],
    [{ settings: { url: '/x', on_connect: ['a'] }, outputs: { y: 'any' } }, 'bad_setting'],
  ],
}
const tsdb: Sample = {
  setup: {
    settings: {
      url: 'http://127.0.0.1:1',
      org: 'o',
      bucket: 'b',
      timeout: 60,
      writes: { x: { measurement: 'm' } },
      queries: { y: { measurement: 'm', field: 'f', range: '-1d', aggregation: 'mean' } },
    },
    inputs: { x: 'float' },
    outputs: { y: 'float' },
  },
  bad: [
    [
      { url: 'http://h', org: 'o', bucket: 'b', write_precision: 'min' },
      '"write_precision" is "min"; give it "ns", "us",',
    ],
    [{ url: 'http://h', org: 'o', bucket: 'b', query_range: '1h' }, 'is "1h"; use a span before now, such as -1h'],
    [{ url: 'http://h', org: 'o', bucket: 'b', writes: { x: {} } }, 'setting "writes.x.measurement" is missing'],
    [{ url: 'http://h', bucket: 'b' }, 'setting "org" is missing'],
  ],
  misfits: [
    [{ settings: { url: 'h', org: 'o', bucket: 'b' }, outputs: { y: 'float' } }, 'bad_setting'],
    [{ settings: { url: 'http://h', org: 'o', bucket: 'b' } }, 'unsupported_ports'],
    [
      { settings: { url: 'http://h', org: 'o', bucket: 'b' }, inputs: { x: 'any' }, outputs: { y: 'float' } },
      'dtype_mismatch',
    ],
  ],
  answer: '#datatype,string,long,double\n,result,table,_value\n,,0,2.5\n',
  offDtype: '#datatype,string,long,string\n,result,table,_value\n,,0,off\n',
}
const push: Sample = {
  setup: { settings: { topic: 'alarms' }, inputs: { value: 'any' } },
  bad: [
    [{}, 'setting "topic" is missing'],
    [{ topic: 'a b' }, 'setting "topic" is "a b"; use 1 to 64 letters'],
    [{ topic: 'a', priority: 'max' }, '"priority" is "max"; give it "min", "low", "default", "high" or "urgent"'],
    [{ topic: 'a', timeout: 0 }, 'setting "timeout" is 0'],
  ],
  misfits: [
    [{ settings: { topic: 'a' } }, 'unsupported_ports'],
    [{ settings: { topic: 'a', server: 'ntfy.sh' }, inputs: { x: 'any' } }, 'bad_setting'],
  ],
  answer: '{}',
}
const inject: Sample = {
  setup: {
    settings: { interval: 5, cron: '* * * * *', at_start: true, start_delay: 9, payload: 1 },
    outputs: { tick: 'any' },
  },
  bad: [
    [{ interval: -1 }, 'setting "interval" is -1; give it a number of at least 0'],
    [{ payloads: [] }, 'setting "payloads" is []; give it an object'],
    [{ at_start: 'yes' }, 'setting "at_start" is "yes"; give it true or false'],
  ],
  misfits: [
    [{ settings: { payload: 'on' }, outputs: { tick: 'bool' } }, 'dtype_mismatch'],
    [{ settings: { cron: '0 0 30 2 *' }, outputs: { tick: 'str' } }, 'bad_setting'],
    [{ settings: { payloads: { other: 1 } }, outputs: { tick: 'str' } }, 'unknown_output'],
  ],
}
const delay: Sample = {
  setup: { settings: { delay: 1, interval: 60 }, inputs: { x: 'any' }, outputs: { y: 'any' } },
  bad: [
    [{ delay: -1 }, 'setting "delay" is -1; give it a number of at least 0'],
    [{ mapping: [] }, 'setting "mapping" is []; give it an object'],
  ],
  misfits: [
    [{ inputs: { x: 'str' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
    [{ inputs: { x: 'str' }, outputs: { y: 'str', z: 'str' } }, 'unsupported_ports'],
    [{ settings: { mapping: { x: 'z' } }, inputs: { x: 'str' }, outputs: { y: 'str' } }, 'unknown_output'],
  ],
}
const debounce: Sample = {
  setup: { inputs: { x: 'any' }, outputs: { y: 'bool' } },
  bad: [[{ wait: 'long' }, 'setting "wait" is "long"; give it a number']],
  misfits: [
    [{ outputs: { y: 'bool' } }, 'unsupported_ports'],
    [{ inputs: { x: 'any' }, outputs: { y: 'str' } }, 'dtype_mismatch'],
    [{ settings: { wait_port: 'w' }, inputs: { x: 'any' }, outputs: { y: 'bool' } }, 'bad_setting'],
  ],
}
const switchSample: Sample = {
  setup: {
    settings: { rules: [{ operator: 'gt', value: 1, output: 'high' }], otherwise: 'low' },
    inputs: { x: 'float' },
    outputs: { high: 'float', low: 'float' },
  },
  bad: [
    [{ rules: [{ operator: 'like', value: 1, output: 'high' }] }, '"rules.0.operator" is "like"; give it "eq", "ne"'],
    [
      { rules: [{ operator: 'between', value: 1, output: 'high' }] },
      '"rules.0.value" is 1; "between" needs [low, high]',
    ],
    [{ rules: [{ operator: 'eq', value: 1, output: 'high', kee: 'a' }] }, 'no setting "rules.0.kee"; remove it'],
  ],
  misfits: [
    [{ outputs: { high: 'float' } }, 'unsupported_ports'],
    [{ settings: { otherwise: 'none' }, inputs: { x: 'float' }, outputs: { high: 'float' } }, 'unknown_output'],
    [{ settings: { otherwise: 'low' }, inputs: { x: 'str' }, outputs: { low: 'float' } }, 'dtype_mismatch'],
  ],
}
const change: Sample = {
  setup: { settings: { scale: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
  bad: [
    [{ round_to: 1.5 }, 'setting "round_to" is 1.5; give it a whole number'],
    [{ scale: null }, 'setting "scale" is null; give it a number'],
  ],
  misfits: [[{ inputs: { x: 'float' }, outputs: { y: 'float', z: 'float' } }, 'unsupported_ports']],
}
const rbe: Sample = {
  setup: { settings: { deadband: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
  bad: [
    [{ deadband: -1 }, 'setting "deadband" is -1; give it a number of at least 0'],
    [{ deadband_percent: 10 }, 'setting "deadband_percent" is 10; give it true or false'],
  ],
  misfits: [
    [{ inputs: { x: 'float' } }, 'unsupported_ports'],
    [{ inputs: { x: 'str' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
  ],
}
const exec: Sample = {
  setup: { settings: { command: 'sleep 9' }, inputs: { x: 'any' }, outputs: { exit_code: 'int' } },
  bad: [
    [{}, 'setting "command" is missing'],
    [{ command: '' }, 'setting "command" is ""; give it at least 1 character'],
    [{ command: 'true', timeout: -1 }, 'setting "timeout" is -1; give it a number of more than 0'],
  ],
  misfits: [
    [{ settings: { command: 'true' }, outputs: { code: 'int' } }, 'unsupported_ports'],
    [{ settings: { command: 'true #', append_payload: true }, inputs: { x: 'any' } }, 'bad_setting'],
  ],
  answer: { exitCode: 0, stdout: '', stderr: '', dropped: 0 },
}
const file: Sample = {
  setup: { settings: { path: 'a/b.txt', mode: 'append' }, inputs: { x: 'any' } },
  bad: [
    [{}, 'setting "path" is missing'],
    [{ path: '' }, 'setting "path" is ""; give it at least 1 character'],
    [{ path: 'x', mode: 'delete' }, 'setting "mode" is "delete"; give it "read", "write" or "append"'],
    [{ path: 'x', format: 'yaml' }, 'setting "format" is "yaml"; give it "text" or "json"'],
  ],
  misfits: [
    [{ settings: { path: '../x' }, outputs: { y: 'str' } }, 'bad_setting'],
    [{ settings: { path: 'x' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
    [{ settings: { path: 'x', mode: 'write' }, outputs: { y: 'str' } }, 'unsupported_ports'],
  ],
}
const mlp: Sample = {
  setup: { settings: { seed: 3 }, inputs: { a: 'float', b: 'float' }, outputs: { y: 'float' } },
  bad: [
    [{ seed: -1 }, 'setting "seed" is -1; give it a number of at least 0'],
    [{ seed: 0.5 }, 'setting "seed" is 0.5; give it a whole number'],
    [{ seed: 'x' }, 'setting "seed" is "x"; give it a number'],
  ],
  misfits: [
    [{ outputs: { y: 'float' } }, 'unsupported_ports'],
    [{ inputs: { a: 'str' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
    [{ inputs: { a: 'float' }, outputs: { y: 'str' } }, 'dtype_mismatch'],
  ],
}
const join: Sample = {
  setup: { inputs: { a: 'float', b: 'float' }, outputs: { both: 'object' } },
  bad: [[{ mode: 'list' }, 'setting "mode" is "list"; give it "object" or "array"']],
  misfits: [
    [{ inputs: { a: 'int' } }, 'unsupported_ports'],
    [{ inputs: { a: 'int' }, outputs: { both: 'array' } }, 'dtype_mismatch'],
  ],
}
const code: Sample = {
  setup: { settings: { factor: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
  bad: [[{ 'a-b': 1 }, 'the setting "a-b" cannot name an argument of code; use letters, digits and "_"']],
  misfits: [[{ settings: { 'a-b': 1 } }, 'bad_setting']],
  answer: { y: 1 },
  offDtype: { y: 'off' },
}

/** The first of a type is of its usual role. */
export const samples: Readonly<Record<string, readonly Sample[]>> = {
  python: [code],
  code: [code],
  mqtt: [mqtt, { ...mqtt, setup: { settings: { topic: 't' }, outputs: { y: 'any' } } }],
  http: [
    http,
    {
      ...http,
      setup: { settings: { url: 'http://127.0.0.1:1/' }, inputs: { x: 'float' }, outputs: { alert: 'float' } },
    },
  ],
  websocket: [
    websocket,
    {
      ...websocket,
      setup: { settings: { url: '/ticker' }, inputs: { x: 'any' }, outputs: { y: 'float' } },
      offDtype: 'off',
    },
  ],
  tsdb: [tsdb],
  push: [push],
  inject: [inject],
  delay: [delay, { ...delay, setup: { settings: { cron: '* * * * *' }, outputs: { y: 'str' } } }],
  debounce: [debounce],
  switch: [switchSample],
  change: [change],
  rbe: [rbe],
  join: [join],
  exec: [exec],
  file: [file, { ...file, setup: { settings: { path: 'given.txt' }, inputs: { x: 'any' }, outputs: { y: 'str' } } }],
  mlp: [mlp],
}

/** Settings that hold a credential, by type. */
export const credentials: Readonly<Record<string, readonly string[]>> = {
  http: ['secret'],
  mqtt: ['password'],
  push: ['token'],
  tsdb: ['token'],
  websocket: ['secret'],
}
