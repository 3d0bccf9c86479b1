/**
 * Fills an engine for pictures of the console: two live flows that are tied, values that go on coming, a flow that trains a
 * small model, a sweep of it, older runs, and a device's worth of events. `console-screens.ts` uses it; Python has to be there.
 */
import type { Client } from '@flow-service/client-sdk'

const port = (direction: 'input' | 'output', name: string, more: object = {}) => ({
  direction,
  name,
  dtype: 'float',
  ...more,
})

const climate = {
  title: 'Living room climate',
  mode: 'live',
  nodes: [
    {
      id: 'thermometer',
      type: 'http',
      title: 'Living room sensor',
      settings: { url: 'room' },
      ports: [port('output', 'temp'), port('output', 'humidity')],
    },
    {
      id: 'smooth',
      type: 'change',
      title: 'Round to 0.1',
      settings: { round_to: 1 },
      ports: [port('input', 'temp'), port('output', 'room_temp')],
    },
    {
      id: 'too_cold',
      type: 'switch',
      title: 'Below 19 °C?',
      settings: {
        rules: [
          { operator: 'lt', value: 19, output: 'cold' },
          { operator: 'gte', value: 19, output: 'warm' },
        ],
      },
      ports: [port('input', 'room_temp', { port: 'in' }), port('output', 'cold'), port('output', 'warm')],
    },
    {
      id: 'damp',
      type: 'switch',
      title: 'Humidity above 60 %',
      settings: { rules: [{ operator: 'gt', value: 60, output: 'damp_air' }] },
      ports: [port('input', 'humidity', { port: 'in' }), port('output', 'damp_air')],
    },
  ],
}

const fan = {
  title: 'Fan of the bathroom',
  mode: 'live',
  nodes: [
    {
      id: 'speed',
      type: 'change',
      title: 'Speed of the fan',
      settings: { scale: 0.5, offset: 10 },
      ports: [port('input', 'climate.damp_air'), port('output', 'speed')],
    },
  ],
}

const source = `import math, random, time

def run(lr, depth):
    chance = random.Random(int(lr * 1e6) + depth)
    best = 0.05 + 0.3 * abs(math.log10(lr) + 2.4) / 2.4 + 0.02 * abs(depth - 5)
    for step in range(120):
        loss = best + (2.3 - best) * math.exp(-step * (0.02 + lr)) + 0.03 * chance.random()
        yield {"loss": round(loss, 5), "acc": round(1 - loss / 2.5, 5)}
        time.sleep(0.002)
    print("the best loss is", round(best, 3))
    return {"accuracy": round(1 - best, 4)}
`

const train = {
  title: 'Train the classifier',
  mode: 'batch',
  inputs: [
    { name: 'lr', dtype: 'float', initial: 0.1 },
    { name: 'depth', dtype: 'int', initial: 4 },
  ],
  outputs: [{ name: 'accuracy' }],
  nodes: [
    {
      id: 'fit',
      type: 'python',
      title: 'Fit the model',
      source,
      ports: [
        port('input', 'lr'),
        port('input', 'depth', { dtype: 'int' }),
        port('output', 'loss', { stream: true }),
        port('output', 'acc', { stream: true }),
        port('output', 'score', { port: 'accuracy' }),
      ],
    },
    {
      id: 'round',
      type: 'change',
      title: 'As per cent',
      settings: { scale: 100 },
      ports: [port('input', 'score'), port('output', 'accuracy')],
    },
  ],
}

async function publish(client: Client, name: string, document: object): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine checks documents
  const { version } = await client.http.flows.save({ name, flowDocument: document as never })
  await client.http.flows.publish({ name, version })
}

/** A place on the grid of a board. */
const place = (x: number, y: number, w: number, h: number) => ({ x, y, w, h })

const board = {
  title: 'Living room',
  content: {
    widgets: [
      {
        id: 'temp',
        type: 'value',
        title: 'Temperature',
        binding: { message: 'climate.temp' },
        options: { unit: '°C', decimals: 1 },
        ...place(0, 0, 3, 2),
      },
      {
        id: 'damp',
        type: 'gauge',
        title: 'Humidity',
        binding: { message: 'climate.humidity' },
        options: { unit: '%', thresholds: [{ from: 60, level: 'warning' }] },
        ...place(3, 0, 3, 4),
      },
      {
        id: 'about',
        type: 'text',
        options: { markdown: '**Heating** comes on below 19 °C. See [the flow](#/flows/climate).' },
        ...place(0, 2, 3, 2),
      },
      {
        id: 'curve',
        type: 'chart',
        title: 'Temperature and its mean',
        source: { kind: 'messages', messages: ['climate.temp', 'climate.room_temp'] },
        ...place(6, 0, 6, 4),
      },
      {
        id: 'runs',
        type: 'table',
        title: 'Newest trainings',
        source: { kind: 'runs', select: { latest: 5, flow: 'train' }, metrics: [] },
        ...place(0, 4, 6, 4),
      },
      {
        id: 'loss',
        type: 'chart',
        title: 'Loss',
        source: { kind: 'runs', select: { latest: 5, flow: 'train' }, metrics: ['train.loss'] },
        ...place(6, 4, 6, 4),
      },
    ],
  },
}

/** Boards that ask to be adopted, from an address of their own; the second one is adopted. */
async function pairBoards(call: Call): Promise<void> {
  await call('POST', '/devices/pair', { name: 'Hall panel', board: 'esp32-s3', firmware: '1.4.2' })
  const made = await call('POST', '/devices/pair', { name: 'Kitchen sensor', board: 'esp32-c6', firmware: '0.9.0' })
  const { code } = made as { code: string }
  await call('POST', '/devices/kitchen', { name: 'Kitchen sensor' })
  await call('POST', '/devices/kitchen/pair', { code })
}

type Send = (method: string, path: string, body: object) => Promise<{ readonly status: number; readonly body: unknown }>
type Call = (method: string, path: string, body: object) => Promise<unknown>

export interface Demo {
  /** Ids of the runs of the sweep. */
  readonly sweep: readonly string[]
  /** Of one of them. */
  readonly run: string
  /** Sends a value to the live flow, which ends in the other one. */
  readonly feel: (temp: number, humidity: number) => Promise<void>
}

export async function fillDemo(client: Client, baseUrl: string, send: Send): Promise<Demo> {
  const call: Call = async (method, path, body) => {
    const answer = await send(method, path, body)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await publish(client, 'climate', climate)
  await publish(client, 'bathroom', fan)
  await publish(client, 'train', train)
  await client.flows.start('climate')
  await client.flows.start('bathroom')
  const runs = [0.001, 0.004, 0.02, 0.1].flatMap((lr) => [3, 5, 7].map((depth) => ({ lr, depth })))
  const submitted = await client.http.runs.sweep({ name: 'train', runs })
  const sweep = submitted.runs.map(({ id }) => id)
  for (const id of sweep) await client.wait(id)
  await client.runs.submit('train', { params: { lr: 0.02, depth: 5 } }).then((run) => run.wait())
  await client.runs.submit('train', { params: { lr: -1 } }).then((run) => run.wait())
  await call('POST', '/dashboards/living_room', board)
  await call('POST', '/dashboards/living_room/publish', {})
  await pairBoards(call)
  await call('POST', '/workers/tokens', { name: 'lab-3', labels: ['gpu'] })
  await call('POST', '/flavors/', { name: 'large', cpus: 8, gpus: 1, ram_mb: 32_000, description: 'trainings' })
  await call('PUT', '/secrets/mqtt_password', { value: 'shown to nobody' })
  return {
    sweep,
    run: sweep[7] ?? '',
    async feel(temp, humidity) {
      await fetch(`${baseUrl}/hooks/climate/room`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ temp, humidity }),
      })
    },
  }
}
