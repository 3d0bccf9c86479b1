/** Two interleaved half circles, and a small neural network that learns to tell them apart. */
import { batchFlow, input, python, stage, stream, t } from '@flow-service/flow-sdk'
import * as z from 'zod'

/** The training data: equal settings give equal points, so a whole sweep makes them once. */
export const moons = stage('moons', {
  in: { points: t.int },
  out: { rows: t.artifact },
  settings: z.object({ noise: z.number().min(0).default(0.1).describe('Standard deviation of each coordinate.') }),
  async run({ points, noise }, ctx) {
    const gauss = () => Math.sqrt(-2 * Math.log(1 - ctx.random())) * Math.cos(2 * Math.PI * ctx.random())
    const rows = Array.from({ length: points }, (_, at) => {
      const angle = Math.PI * ctx.random()
      const [x, y] = at % 2 === 0 ? [Math.cos(angle), Math.sin(angle)] : [1 - Math.cos(angle), 0.5 - Math.sin(angle)]
      return `${x + noise * gauss()},${y + noise * gauss()},${at % 2}`
    })
    return { rows: await ctx.saveArtifact(rows.join('\n'), { name: 'moons.csv', mediaType: 'text/csv' }) }
  },
})

/** One hidden layer, trained by stochastic gradient descent; the seed decides the first weights and the order. */
export const train = stage('train', {
  in: { rows: t.artifact, lr: t.float, epochs: t.int, seed: t.int },
  out: { loss: stream(t.float), accuracy: t.float, model: t.artifact },
  settings: z.object({ hidden: z.int().min(1).default(8).describe('Neurons of the hidden layer.') }),
  async *run({ rows, lr, epochs, hidden }, ctx) {
    const text = new TextDecoder().decode(await ctx.loadArtifact(rows))
    const data = text.split('\n').map((line) => line.split(',').map(Number) as [number, number, number])
    const weight = () => 2 * ctx.random() - 1
    const layer = Array.from({ length: hidden }, () => [weight(), weight(), weight()] as [number, number, number])
    const out = Array.from({ length: hidden + 1 }, weight)
    const activate = (x: number, y: number) => layer.map(([a, b, c]) => Math.tanh(a * x + b * y + c))
    const answer = (h: number[]) => 1 / (1 + Math.exp(-h.reduce((sum, v, i) => sum + v * out[i]!, out[hidden]!)))
    let right = 0
    for (let epoch = 0; epoch < epochs; epoch++) {
      let loss = 0
      right = 0
      for (let step = 0; step < data.length; step++) {
        const [x, y, label] = data[Math.floor(ctx.random() * data.length)]!
        const h = activate(x, y)
        const p = answer(h)
        loss -= Math.log(Math.max(1e-12, label === 1 ? p : 1 - p))
        right += Number(p > 0.5 === (label === 1))
        const error = p - label
        for (const [i, v] of h.entries()) {
          const back = error * out[i]! * (1 - v * v)
          out[i]! -= lr * error * v
          const cell = layer[i]!
          cell[0] -= lr * back * x
          cell[1] -= lr * back * y
          cell[2] -= lr * back
        }
        out[hidden]! -= lr * error
      }
      yield { loss: loss / data.length }
    }
    const model = await ctx.saveArtifact(JSON.stringify({ layer, out }), {
      name: 'model.json',
      mediaType: 'application/json',
    })
    return { accuracy: right / data.length, model }
  },
})

/** The same training, in Python with its standard library alone. */
export const trainInPython = python('train', {
  file: './train.py',
  in: { rows: t.artifact, lr: t.float, epochs: t.int, seed: t.int },
  out: { loss: stream(t.float), accuracy: t.float, model: t.artifact },
  settings: z.object({ hidden: z.int().min(1).default(8) }),
})

const params = { points: input(t.int, 300), lr: input(t.float, 0.1), epochs: input(t.int, 25), seed: input(t.int, 0) }

export const moonsInTypeScript = batchFlow('moons_ts', params, (p, use) => {
  const { rows } = use(moons, { points: p.points })
  const { accuracy, model } = use(train, { rows, lr: p.lr, epochs: p.epochs, seed: p.seed })
  return { accuracy, model }
})

export const moonsInPython = batchFlow('moons_python', params, (p, use) => {
  const { rows } = use(moons, { points: p.points })
  const { accuracy, model } = use(trainInPython, { rows, lr: p.lr, epochs: p.epochs, seed: p.seed })
  return { accuracy, model }
})
